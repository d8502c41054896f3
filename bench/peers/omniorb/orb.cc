#include "orb.h"

#include <omniORB4/CORBA.h>
// omniORB's own header: the sizes of its buffers are no ORB options.
#include <giopStream.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

CORBA::ORB_ptr start(std::vector<std::string> words) {
    // A large message in one piece instead of 8 KiB fragments; octets up to 64 KiB are copied into
    // it and go out with one system call.
    omni::giopStream::bufferSize = 256 << 10;
    omni::giopStream::directSendCutOff = 64 << 10;
    omni::giopStream::directReceiveCutOff = 64 << 10;
    for (const char* word : {
             // Large payloads, at once.
             "-ORBgiopMaxMsgSize", "268435456",
             "-ORBmaxSocketSend", "268435456",
             "-ORBmaxSocketRecv", "268435456",
             // Nobody asks PortableServer::Current.
             "-ORBsupportCurrent", "0",
             // Idle connections stay.
             "-ORBscanGranularity", "0",
             "-ORBconnectionWatchPeriod", "10000000",  // in microseconds
             "-ORBverifyObjectExistsAndType", "0",
         }) {
        words.push_back(word);
    }
    words.insert(words.begin(), "peer");
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    int count = static_cast<int>(pointers.size());
    pointers.push_back(nullptr);
    return CORBA::ORB_init(count, pointers.data());
}

}  // namespace

CORBA::ORB_ptr start_server_orb(const bench::Options& options) {
    // One thread for each connection, which reads, makes the upcall and answers. More threads for
    // a connection would make omniORB watch it during every upcall, and would mix up one-way calls.
    unsigned threads = std::max(10000u, options.connections);
    return start({
        "-ORBendPoint",
        options.unix_sockets ? "giop:unix:" + options.path : "giop:tcp:127.0.0.1:",
        "-ORBthreadPerConnectionPolicy", "1",
        "-ORBthreadPerConnectionUpperLimit", std::to_string(threads),
        "-ORBthreadPerConnectionLowerLimit", std::to_string(threads),
        "-ORBmaxServerThreadPerConnection", "1",
        "-ORBlistenBacklog", std::to_string(options.connections),
    });
}

CORBA::ORB_ptr start_client_orb(Connections connections) {
    bool shared = connections == Connections::SHARED;
    return start({
        "-ORBendPoint", "giop:tcp:127.0.0.1:",
        "-ORBoneCallPerConnection", shared ? "0" : "1",
        "-ORBmaxGIOPConnectionPerServer", shared ? "1" : "4096",
    });
}

namespace {

// omniORB's copy constructor copies octets one by one.
template <class Sequence>
Sequence* copy(const Sequence& data) {
    const CORBA::ULong length = data.length();
    auto* elements = Sequence::allocbuf(length);
    std::copy_n(data.get_buffer(), length, elements);
    return new Sequence(length, length, elements, true);
}

template <class Rule, class Sequence>
Sequence* cubes(const Sequence& numbers) {
    Sequence* result = copy(numbers);
    bench::cube_all<Rule>(result->get_buffer(), result->length());
    return result;
}

// A connection has its own thread: its tally is the thread's.
thread_local bench::Tally tally;

template <class Rule, class Sequence>
void sink(const Sequence& data) {
    const CORBA::ULong length = data.length();
    if (length == 0) throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO);
    tally.count(length, Rule::number(data[0]), Rule::number(data[length - 1]));
}

// What arrived since it was last asked.
Bench::Tally taken() {
    bench::Tally taken = tally.take();
    Bench::Tally result;
    result.calls = taken.calls;
    result.elements = taken.elements;
    result.sum = taken.sum;
    result.cpu_ns = taken.cpu_ns;
    return result;
}

class SuiteServant : public POA_Bench::Suite {
public:
    explicit SuiteServant(Echoes echoes) : echoes_(echoes) {}

    void ping() override {}
    char* echo_string(const char* data) override { return CORBA::string_dup(data); }
    Bench::Octets* echo_octets(const Bench::Octets& data) override { return echo(data); }
    Bench::Longs* echo_longs(const Bench::Longs& data) override { return echo(data); }
    Bench::Doubles* echo_doubles(const Bench::Doubles& data) override { return echo(data); }
    Bench::BinStructs* echo_structs(const Bench::BinStructs& data) override { return echo(data); }

    void cube_void() override {}
    CORBA::Octet cube_octet(CORBA::Octet number) override { return bench::cube(number); }
    CORBA::Long cube_long(CORBA::Long number) override { return bench::cube(number); }
    Bench::CubeStruct cube_struct(const Bench::CubeStruct& numbers) override {
        return bench::CubeStructs::cubed(numbers);
    }
    Bench::Octets* cube_octets(const Bench::Octets& numbers) override {
        return cubes<bench::Numbers<1>>(numbers);
    }
    Bench::Shorts* cube_shorts(const Bench::Shorts& numbers) override {
        return cubes<bench::Numbers<2>>(numbers);
    }
    Bench::Longs* cube_longs(const Bench::Longs& numbers) override {
        return cubes<bench::Numbers<4>>(numbers);
    }
    Bench::CubeStructs* cube_structs(const Bench::CubeStructs& numbers) override {
        return cubes<bench::CubeStructs>(numbers);
    }

    void send_shorts(const Bench::Shorts& data) override { sink<bench::Shorts>(data); }
    void send_chars(const Bench::Chars& data) override { sink<bench::Chars>(data); }
    void send_longs(const Bench::Longs& data) override { sink<bench::Longs>(data); }
    void send_octets(const Bench::Octets& data) override { sink<bench::Octets>(data); }
    void send_doubles(const Bench::Doubles& data) override { sink<bench::Doubles>(data); }
    void send_structs(const Bench::BinStructs& data) override { sink<bench::Structs>(data); }
    void send_padded(const Bench::PaddedStructs& data) override { sink<bench::Padded>(data); }

    Bench::Tally sync() override { return taken(); }

private:
    // The skeleton frees an `in` sequence after it has sent the reply, so a reply may lie in the
    // argument's memory. A collocated caller gets what is its own.
    template <class Sequence>
    Sequence* echo(const Sequence& data) const {
        if (echoes_ == Echoes::COPY) return copy(data);
        Sequence& borrowed = const_cast<Sequence&>(data);
        return new Sequence(data.length(), data.length(), borrowed.get_buffer(), false);
    }

    const Echoes echoes_;
};

}  // namespace

namespace {

// Gets requests by the dynamic skeleton interface.
class DynamicServant : public PortableServer::DynamicImplementation {
public:
    void invoke(CORBA::ServerRequest_ptr request) override {
        const std::string operation = request->operation();
        CORBA::NVList_ptr list = nullptr;
        CORBA::ORB_var orb = CORBA::ORB::_duplicate(orb_);
        orb->create_list(0, list);
        if (CORBA::TypeCode_ptr type = sequence(operation)) {
            CORBA::Any data(type, nullptr);
            list->add_value("data", data, CORBA::ARG_IN);
            request->arguments(list);
            request->set_result(*list->item(0)->value());
            return;
        }
        if (operation != "ping" && operation != "sync") {
            throw CORBA::BAD_OPERATION(0, CORBA::COMPLETED_NO);
        }
        request->arguments(list);
        if (operation == "sync") {
            CORBA::Any result;
            result <<= taken();
            request->set_result(result);
        }
    }

    char* _primary_interface(const PortableServer::ObjectId&, PortableServer::POA_ptr) override {
        return CORBA::string_dup(Bench::Suite::_PD_repoId);
    }

    explicit DynamicServant(CORBA::ORB_ptr orb) : orb_(orb) {}

private:
    static CORBA::TypeCode_ptr sequence(const std::string& operation) {
        if (operation == "echo_octets") return Bench::_tc_Octets;
        if (operation == "echo_longs") return Bench::_tc_Longs;
        if (operation == "echo_doubles") return Bench::_tc_Doubles;
        if (operation == "echo_structs") return Bench::_tc_BinStructs;
        return nullptr;
    }

    CORBA::ORB_ptr orb_;
};

}  // namespace

static CORBA::Object_ptr activate(CORBA::ORB_ptr orb, PortableServer::ServantBase* servant) {
    CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
    PortableServer::POA_var poa = PortableServer::POA::_narrow(object);
    PortableServer::ObjectId_var id = poa->activate_object(servant);
    servant->_remove_ref();
    poa->the_POAManager()->activate();
    return poa->id_to_reference(id);
}

Bench::Suite_ptr activate_suite(CORBA::ORB_ptr orb, Echoes echoes) {
    CORBA::Object_var object = activate(orb, new SuiteServant(echoes));
    return Bench::Suite::_narrow(object);
}

Bench::Suite_ptr activate_dynamic_suite(CORBA::ORB_ptr orb) {
    CORBA::Object_var object = activate(orb, new DynamicServant(orb));
    return Bench::Suite::_unchecked_narrow(object);
}
