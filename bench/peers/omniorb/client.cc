// The client of the omniORB peer.
#include "common/client.h"

#include <cstdio>
#include <memory>
#include <string>

#include "dynamic.h"
#include "orb.h"

namespace {

template <class Call>
class VoidWork {
public:
    explicit VoidWork(Call call) : call_(call) {}

    void first(uint64_t) {}
    void call() { call_(); }
    bool right() const { return true; }

private:
    Call call_;
};

// One number or struct.
template <class Rule, class T, class Call>
class SingleWork {
public:
    explicit SingleWork(Call call) : call_(call) { Rule::set(sent_, 0); }

    void first(uint64_t n) { Rule::first(sent_, n); }
    void call() { reply_ = call_(sent_); }
    bool right() const { return Rule::right(sent_, reply_); }

private:
    Call call_;
    T sent_{};
    T reply_{};
};

template <class Call>
class StringWork {
public:
    StringWork(Call call, uint64_t payload) : call_(call), sent_(bench::length<bench::Chars>(payload), ' ') {
        bench::fill<bench::Chars>(sent_.data(), sent_.size());
    }

    void first(uint64_t n) { bench::Chars::first(sent_[0], n); }
    void call() { reply_ = call_(sent_.c_str()); }
    bool right() {
        // The memory of the reply is freed here, outside the time of the call.
        CORBA::String_var reply = reply_._retn();
        return sent_ == reply.in();
    }

private:
    Call call_;
    std::string sent_;
    CORBA::String_var reply_;
};

template <class Rule, class Sequence, class Call>
class SequenceWork {
public:
    SequenceWork(Call call, uint64_t payload) : call_(call) {
        sent_.length(CORBA::ULong(bench::length<Rule>(payload)));
        bench::fill<Rule>(sent_.get_buffer(), sent_.length());
    }

    void first(uint64_t n) { Rule::first(sent_[0], n); }
    void call() { reply_.reset(call_(sent_)); }
    bool right() {
        // The memory of the reply is freed here, outside the time of the call.
        std::unique_ptr<Sequence> reply = std::move(reply_);
        const Sequence& sent = sent_;
        const Sequence& got = *reply;
        return got.length() == sent.length() &&
               bench::all_right<Rule>(sent.get_buffer(), got.get_buffer(), sent.length());
    }

private:
    Call call_;
    Sequence sent_;
    std::unique_ptr<Sequence> reply_;
};

template <class Rule, class Sequence, class Call>
class SendWork {
public:
    SendWork(Call call, uint64_t payload) : call_(call) {
        sent_.length(CORBA::ULong(bench::length<Rule>(payload)));
        bench::fill<Rule>(sent_.get_buffer(), sent_.length());
    }

    void first(uint64_t n) { Rule::first(sent_[0], n); }
    void call() { call_(sent_); }
    void count(bench::Tally& tally) {
        const CORBA::ULong length = sent_.length();
        tally.count(length, Rule::number(sent_[0]), Rule::number(sent_[length - 1]));
    }

private:
    Call call_;
    Sequence sent_;
};

class Peer {
public:
    explicit Peer(const bench::Options& options)
        : address_(options.address), dynamic_(options.dynamic) {
        connect(Connections::OWN);
    }
    ~Peer() { orb_->destroy(); }

    // How connections are used is a matter of the whole ORB.
    void prepare(unsigned, bool shared) {
        Connections wanted = shared ? Connections::SHARED : Connections::OWN;
        if (wanted == connections_) return;
        suite_ = Bench::Suite::_nil();
        orb_->destroy();
        connect(wanted);
    }

    template <class Use>
    void with_calls(const std::string& operation, uint64_t payload, unsigned, Use use) {
        Bench::Suite_ptr suite = suite_;
        if (dynamic_ && !has_dynamic_servant(operation)) {
            throw bench::Unsupported(operation + " has only a skeleton");
        }
#define BENCH_VOID(NAME)                            \
    if (operation == #NAME) {                       \
        VoidWork work([=] { suite->NAME(); });      \
        return use(work);                           \
    }
#define BENCH_SINGLE(NAME, RULE, TYPE)                                          \
    if (operation == #NAME) {                                                   \
        auto call = [=](const TYPE& sent) { return suite->NAME(sent); };        \
        SingleWork<bench::RULE, TYPE, decltype(call)> work(call);               \
        return use(work);                                                       \
    }
#define BENCH_SEQUENCE(WORK, NAME, RULE, TYPE)                                       \
    if (operation == #NAME) {                                                        \
        auto call = [=](const Bench::TYPE& sent) { return suite->NAME(sent); };      \
        WORK<bench::RULE, Bench::TYPE, decltype(call)> work(call, payload);          \
        return use(work);                                                            \
    }
        BENCH_VOID(ping)
        if (operation == "echo_string") {
            auto call = [=](const char* sent) { return suite->echo_string(sent); };
            StringWork<decltype(call)> work(call, payload);
            return use(work);
        }
        BENCH_SEQUENCE(SequenceWork, echo_octets, Octets, Octets)
        BENCH_SEQUENCE(SequenceWork, echo_longs, Longs, Longs)
        BENCH_SEQUENCE(SequenceWork, echo_doubles, Doubles, Doubles)
        BENCH_SEQUENCE(SequenceWork, echo_structs, Structs, BinStructs)
        BENCH_VOID(cube_void)
        BENCH_SINGLE(cube_octet, Numbers<1>, CORBA::Octet)
        BENCH_SINGLE(cube_long, Numbers<4>, CORBA::Long)
        BENCH_SINGLE(cube_struct, CubeStructs, Bench::CubeStruct)
        BENCH_SEQUENCE(SequenceWork, cube_octets, Numbers<1>, Octets)
        BENCH_SEQUENCE(SequenceWork, cube_shorts, Numbers<2>, Shorts)
        BENCH_SEQUENCE(SequenceWork, cube_longs, Numbers<4>, Longs)
        BENCH_SEQUENCE(SequenceWork, cube_structs, CubeStructs, CubeStructs)
#define BENCH_DYNAMIC(NAME, RULE, TYPE)                                                       \
    if (operation == "dii_" #NAME) {                                                          \
        DiiWork<bench::RULE, Bench::TYPE> work(suite, "echo_" #NAME, Bench::_tc_##TYPE, payload); \
        return use(work);                                                                     \
    }                                                                                         \
    if (operation == "codec_" #NAME) {                                                        \
        CodecWork<bench::RULE, Bench::TYPE> work(Bench::_tc_##TYPE, payload);                 \
        return use(work);                                                                     \
    }                                                                                         \
    if (operation == "leaves_" #NAME) {                                                       \
        DynamicAny::DynAnyFactory_var factory = dyn_any_factory();                            \
        LeavesWork<bench::RULE, Bench::TYPE> work(factory, Bench::_tc_##TYPE, payload);       \
        return use(work);                                                                     \
    }
        BENCH_DYNAMIC(octets, Octets, Octets)
        BENCH_DYNAMIC(longs, Longs, Longs)
        BENCH_DYNAMIC(doubles, Doubles, Doubles)
        BENCH_DYNAMIC(structs, Structs, BinStructs)
        throw bench::Unsupported("there is no two-way operation " + operation);
    }

    template <class Use>
    void with_sends(const std::string& operation, uint64_t payload, Use use) {
        if (dynamic_) throw bench::Unsupported(operation + " has only a skeleton");
        Bench::Suite_ptr suite = suite_;
        BENCH_SEQUENCE(SendWork, send_shorts, Shorts, Shorts)
        BENCH_SEQUENCE(SendWork, send_chars, Chars, Chars)
        BENCH_SEQUENCE(SendWork, send_longs, Longs, Longs)
        BENCH_SEQUENCE(SendWork, send_octets, Octets, Octets)
        BENCH_SEQUENCE(SendWork, send_doubles, Doubles, Doubles)
        BENCH_SEQUENCE(SendWork, send_structs, Structs, BinStructs)
        BENCH_SEQUENCE(SendWork, send_padded, Padded, PaddedStructs)
        throw bench::Unsupported("there is no one-way operation " + operation);
    }

    bench::Tally sync() {
        Bench::Tally taken = suite_->sync();
        bench::Tally tally;
        tally.calls = taken.calls;
        tally.elements = taken.elements;
        tally.sum = taken.sum;
        tally.cpu_ns = taken.cpu_ns;
        return tally;
    }

    static std::string reason() {
        try {
            throw;
        } catch (const CORBA::SystemException& error) {
            const char* minor = error.NP_minorString();
            return error._name() + (minor == nullptr ? std::string() : std::string(" ") + minor);
        } catch (const CORBA::Exception& error) {
            return error._name();
        } catch (const std::exception& error) {
            return error.what();
        }
    }

private:
    static bool has_dynamic_servant(const std::string& operation) {
        const bool echoes = operation.rfind("echo_", 0) == 0 && operation != "echo_string";
        return operation == "ping" || echoes || operation.rfind("dii_", 0) == 0;
    }

    DynamicAny::DynAnyFactory_ptr dyn_any_factory() {
        CORBA::Object_var object = orb_->resolve_initial_references("DynAnyFactory");
        return DynamicAny::DynAnyFactory::_narrow(object);
    }

    void connect(Connections connections) {
        orb_ = start_client_orb(connections);
        connections_ = connections;
        if (address_ == "collocated") {
            suite_ = dynamic_ ? activate_dynamic_suite(orb_) : activate_suite(orb_, Echoes::COPY);
        } else {
            CORBA::Object_var object = orb_->string_to_object(address_.c_str());
            // A servant without a skeleton does not know the bases of its interface.
            suite_ = dynamic_ ? Bench::Suite::_unchecked_narrow(object) : Bench::Suite::_narrow(object);
        }
        if (CORBA::is_nil(suite_)) throw bench::Failure("the address is no Bench::Suite");
        suite_->ping();
    }

    std::string address_;
    const bool dynamic_;
    Connections connections_ = Connections::OWN;
    CORBA::ORB_var orb_;
    Bench::Suite_var suite_;
};

}  // namespace

int main(int argc, char** argv) {
    bench::Options options = bench::start(argc, argv, true);
    set_socket_queue(options.socket_queue);
    try {
        Peer peer(options);
        bench::ready();
        bench::Client<Peer>(peer).serve();
    } catch (...) {
        fprintf(stderr, "omniorb client: %s\n", Peer::reason().c_str());
        return bench::FAILED;
    }
    return 0;
}
