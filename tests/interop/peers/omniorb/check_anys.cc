// Checks of any: each kind of BEHAVIOUR.md made, understood and echoed by the server.
#include "same.h"
#include "samples.h"

using namespace Interop;

void check_anys(Run& run) {
    Anys_var anys = run.suite()->any_tests();
    for (const std::string& kind : samples::any_kinds()) {
        int minor = samples::is_wide(kind) ? 2 : 0;
        run.check_from(minor, "anys/make_" + kind, [&] {
            CORBA::Any_var made = anys->make(kind.c_str());
            require(samples::same_any(made, samples::any_of(kind)), "another type or value");
        });
        run.check_from(minor, "anys/kind_of_" + kind, [&] {
            CORBA::String_var answer = anys->kind_of(samples::any_of(kind));
            require(kind == static_cast<const char*>(answer), "taken for " + std::string(answer));
        });
        run.check_from(minor, "anys/echo_" + kind, [&] {
            CORBA::Any value = samples::any_of(kind), b = samples::any_of("person");
            CORBA::Any_var c, result = anys->echo_any(value, b, c.out());
            require(samples::same_any(result, value), "the result is not a");
            require(samples::same_any(b, value), "the inout parameter is not a");
            require(samples::same_any(c, samples::any_of("person")), "the out is not the old b");
        });
    }
    run.check("anys/unknown", [&] {
        CORBA::Any other;
        other <<= CORBA::Long(1);
        CORBA::String_var answer = anys->kind_of(other);
        require(std::string(answer) == "unknown", "taken for " + std::string(answer));
    });
    run.check("anys/reference", [&] {
        Refs_var refs = run.suite()->reference_tests();
        Base_var base = refs->make("left", "inside");
        Base_ptr found;  // stays the any's
        CORBA::Any a, b;
        a <<= base.in();
        CORBA::Any_var c, result = anys->echo_any(a, b, c.out());
        require(result >>= found, "no Base in the any");
        CORBA::String_var name = found->name();
        require(std::string(name) == "inside", "another object");
    });
}
