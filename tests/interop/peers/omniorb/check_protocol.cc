// Checks below the level of IDL: pseudo operations, wrong operations and keys, corbaloc, load.
#include "same.h"
#include "samples.h"

#include <atomic>
#include <cctype>
#include <sstream>
#include <thread>

using namespace Interop;

namespace {

// What a corbaloc needs of a reference's first IIOP profile.
struct Address {
    std::string host;
    unsigned port = 0;
    std::string key;

    explicit Address(CORBA::Object_ptr object) {
        omniIOR_var ior = object->_PR_getobj()->_getIOR();
        const IOP::TaggedProfileList& profiles = ior->iopProfiles();
        for (CORBA::ULong i = 0; i < profiles.length(); i++) {
            if (profiles[i].tag != IOP::TAG_INTERNET_IOP) continue;
            IIOP::ProfileBody body;
            IIOP::unmarshalProfile(profiles[i], body);
            host = static_cast<const char*>(body.address.host);
            port = body.address.port;
            for (CORBA::ULong j = 0; j < body.object_key.length(); j++)
                key += static_cast<char>(body.object_key[j]);
            return;
        }
        throw Failure("no IIOP profile");
    }

    std::string corbaloc(const std::string& giop) const {
        std::ostringstream text;
        text << "corbaloc:iiop:" << giop << "@" << host << ":" << port << "/";
        for (unsigned char c : key) {
            if (std::isalnum(c)) {
                text << c;
            } else {
                const char* digits = "0123456789abcdef";
                text << '%' << digits[c >> 4] << digits[c & 15];
            }
        }
        return text.str();
    }
};

template <class Exception, class Call>
void expect_system(Call call) {
    try {
        call();
    } catch (const Exception&) {
        return;
    }
    throw Failure("nothing was raised");
}

void check_wrong_requests(Run& run) {
    Basics_var basics = run.suite()->basic_types();
    run.check("protocol/bad_operation", [&] {
        expect_system<CORBA::BAD_OPERATION>([&] {
            CORBA::Request_var request = basics->_request("no_such_operation");
            request->set_return_type(CORBA::_tc_void);
            request->invoke();
            request->env()->exception() ? request->env()->exception()->_raise() : void();
        });
        basics->nothing();
    });
    run.check("protocol/unknown_key", [&] {
        Address address(basics);
        address.key.back() ^= 0x5a;
        CORBA::Object_var stranger =
            run.orb()->string_to_object(address.corbaloc(run.options().giop).c_str());
        expect_system<CORBA::OBJECT_NOT_EXIST>([&] {
            CORBA::Request_var request = stranger->_request("nothing");
            request->set_return_type(CORBA::_tc_void);
            request->invoke();
            request->env()->exception() ? request->env()->exception()->_raise() : void();
        });
        require(stranger->_non_existent(), "_non_existent is false");
    });
    run.check("protocol/foreign_key", [&] {
        Address address(basics);
        address.key = "no such key";
        CORBA::Object_var stranger =
            run.orb()->string_to_object(address.corbaloc(run.options().giop).c_str());
        require(stranger->_non_existent(), "_non_existent is false");
        basics->nothing();
    });
}

}  // namespace

void check_protocol(Run& run) {
    Suite_ptr suite = run.suite();
    run.check("protocol/is_a", [&] {
        require(suite->_is_a("IDL:zorb.test/Interop/Suite:1.0"), "Suite");
        require(suite->_is_a("IDL:omg.org/CORBA/Object:1.0"), "Object");
        require(!suite->_is_a("IDL:zorb.test/Interop/Basics:1.0"), "Basics");
    });
    run.check("protocol/non_existent", [&] { require(!suite->_non_existent(), "true"); });
    run.check("protocol/same_object", [&] {
        Basics_var one = suite->basic_types(), two = suite->basic_types();
        Texts_var other = suite->text_types();
        require(one->_is_equivalent(two), "the same object is not equivalent to itself");
        require(!one->_is_equivalent(other), "different objects are equivalent");
    });
    run.check("protocol/corbaloc", [&] {
        std::string text = Address(suite).corbaloc(run.options().giop);
        CORBA::Object_var object = run.orb()->string_to_object(text.c_str());
        Suite_var again = Suite::_narrow(object);
        require(!CORBA::is_nil(again), "not a Suite");
        CORBA::String_var peer = again->peer();
        require(run.server() == static_cast<const char*>(peer), "another peer");
    });
    check_wrong_requests(run);
}

void check_load(Run& run) {
    Lists_var lists = run.suite()->list_types();
    Texts_var texts = run.suite()->text_types();
    run.check("load/large_octets", [&] {
        Data::Blob a, b;
        a.length(1 << 20);
        for (CORBA::ULong i = 0; i < a.length(); i++) a[i] = CORBA::Octet(i * 31 >> 3);
        Data::Blob_var c, result = lists->echo_blob(a, b, c.out());
        require_echo(result.in(), b, c.in(), a, Data::Blob());
    });
    run.check("load/large_string", [&] {
        CORBA::String_var text = texts->repeat("0123456789abcdef", 4096);
        require(strlen(text) == 65536, "wrong length");
        CORBA::String_var b = "", c, result = texts->echo_string(text, b.inout(), c.out());
        require(std::string(result) == std::string(text), "not echoed");
    });
    run.check("load/large_doubles", [&] {
        Data::DoubleSeq a, b;
        a.length(20000);
        for (CORBA::ULong i = 0; i < a.length(); i++) a[i] = i * 0.25;
        Data::DoubleSeq_var c, result = lists->echo_doubles(a, b, c.out());
        require_echo(result.in(), b, c.in(), a, Data::DoubleSeq());
    });
    // Many small items: their boundaries fall on every place in a fragment.
    run.check("load/many_structs", [&] {
        Data::PersonSeq a, b;
        a.length(2000);
        for (CORBA::ULong i = 0; i < a.length(); i++) {
            a[i] = samples::ada();
            a[i].name = std::string(i % 37, 'n').c_str();
        }
        Data::PersonSeq_var c, result = lists->echo_persons(a, b, c.out());
        require_echo(result.in(), b, c.in(), a, Data::PersonSeq());
    });
    run.check("load/threads", [&] {
        Basics_var basics = run.suite()->basic_types();
        std::atomic<int> wrong{0};
        std::vector<std::thread> threads;
        for (int t = 0; t < 8; t++)
            threads.emplace_back([&, t] {
                try {
                    for (int i = 0; i < 100; i++) {
                        CORBA::Long number = t * 1000 + i, b = -number, c = 0;
                        if (basics->echo_long(number, b, c) != number || c != -number) wrong++;
                        std::string text = std::to_string(number) + std::string(i, '.');
                        CORBA::String_var inout = "", out,
                            result = texts->echo_string(text.c_str(), inout.inout(), out.out());
                        if (text != static_cast<const char*>(result)) wrong++;
                    }
                } catch (const CORBA::Exception&) {
                    wrong++;
                }
            });
        for (auto& thread : threads) thread.join();
        require(wrong == 0, std::to_string(wrong) + " wrong answers");
    });
}
