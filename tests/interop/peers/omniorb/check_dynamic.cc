// Checks of calls without stubs, of objects with and without skeletons; and of calls with stubs of
// an object without a skeleton.
#include "same.h"
#include "samples.h"

using namespace Interop;

namespace {

// Makes the call; a system exception is thrown.
void invoke(CORBA::Request_ptr request) {
    request->invoke();
    CORBA::Exception* raised = request->env()->exception();
    if (raised && !CORBA::UnknownUserException::_downcast(raised)) raised->_raise();
}

void without_exception(CORBA::Request_ptr request) {
    invoke(request);
    require(!request->env()->exception(), "a user exception");
}

// T echo_X(in T a, inout T b, out T c)
void echo(CORBA::Object_ptr object, const char* operation, CORBA::TypeCode_ptr type,
          const CORBA::Any& a, const CORBA::Any& b) {
    CORBA::Request_var request = object->_request(operation);
    // An any as parameter is a value of type `any`.
    bool is_any = type->kind() == CORBA::tk_any;
    auto put = [&](CORBA::Any& place, const CORBA::Any& value) {
        if (is_any) place <<= value;
        else place = value;
    };
    put(request->add_in_arg("a"), a);
    put(request->add_inout_arg("b"), b);
    request->add_out_arg("c").replace(type, nullptr);
    request->set_return_type(type);
    without_exception(request);
    auto taken = [&](const CORBA::Any& any) {
        const CORBA::Any* inner = nullptr;
        if (is_any) require(any >>= inner, "no any in the any");
        return is_any ? *inner : any;
    };
    require(samples::same_any(taken(request->return_value()), a), "the result is not a");
    require(samples::same_any(taken(*request->arguments()->item(1)->value()), a), "b is not a");
    require(samples::same_any(taken(*request->arguments()->item(2)->value()), b), "c is not b");
}

CORBA::Long notes(CORBA::Object_ptr object) {
    CORBA::Request_var request = object->_request("_get_notes");
    request->set_return_type(CORBA::_tc_long);
    without_exception(request);
    CORBA::Long count = 0;
    require(request->return_value() >>= count, "no number");
    return count;
}

CORBA::Request_ptr add(CORBA::Object_ptr object, CORBA::Long left, CORBA::Long right) {
    CORBA::Request_var request = object->_request("add");
    request->add_in_arg("left") <<= left;
    request->add_in_arg("right") <<= right;
    request->set_return_type(CORBA::_tc_long);
    return request._retn();
}

void require_sum(CORBA::Request_ptr request, CORBA::Long expected) {
    CORBA::Long sum = 0;
    require(request->return_value() >>= sum, "no number");
    require(sum == expected, "another sum");
}

void check_stubs(Run& run, Dynamic_ptr object) {
    run.check("dynamic/stub_add", [&] { require(object->add(40, 2) == 42, "the sum"); });
    Data::Person other = samples::ada();
    other.name = "Grace";
    echo_variables<Data::Person>(run, "dynamic/stub_echo", {samples::ada(), other},
                                 CALL(object, echo_person));
    echo_variables<CORBA::Any>(run, "dynamic/stub_any",
                               {samples::any_of("tree"), samples::any_of("price")},
                               CALL(object, echo_any));
    run.check("dynamic/stub_exceptions", [&] {
        int raised = 0;
        try {
            object->fail("four");
        } catch (const Reason& e) {
            require(std::string(e.why) == "four" && e.code == 4, "members");
            raised++;
        }
        try {
            object->fail("");
        } catch (const Empty&) {
            raised++;
        }
        require(raised == 2, "nothing was raised");
    });
    run.check("dynamic/stub_system_exception", [&] {
        try {
            object->fail("system");
        } catch (const CORBA::NO_PERMISSION& e) {
            require(e.minor() == 7 && e.completed() == CORBA::COMPLETED_NO, "minor, completed");
            return;
        }
        throw Failure("nothing was raised");
    });
    run.check("dynamic/stub_attribute", [&] {
        object->title("by stub");
        CORBA::String_var title = object->title();
        require(std::string(title) == "by stub", "another title");
    });
    run.check("dynamic/stub_oneway", [&] {
        CORBA::Long before = object->notes();
        object->note(3);
        await([&] { return object->notes() == before + 3; });
    });
}

void check_requests(Run& run, CORBA::Object_ptr object) {
    run.check("dynamic/request_add", [&] {
        CORBA::Request_var request = add(object, 40, 2);
        without_exception(request);
        require_sum(request, 42);
    });
    run.check("dynamic/request_echo", [&] {
        CORBA::Any ada = samples::any_of("person"), other;
        Data::Person person = samples::ada();
        person.name = "Grace";
        other <<= person;
        echo(object, "echo_person", Data::_tc_Person, ada, other);
    });
    run.check("dynamic/request_any", [&] {
        echo(object, "echo_any", CORBA::_tc_any, samples::any_of("tree"),
             samples::any_of("price"));
    });
    run.check("dynamic/request_exception", [&] {
        CORBA::Request_var request = object->_request("fail");
        request->add_in_arg("why") <<= "four";
        request->exceptions()->add(CORBA::TypeCode::_duplicate(_tc_Empty));
        request->exceptions()->add(CORBA::TypeCode::_duplicate(_tc_Reason));
        invoke(request);
        auto* raised = CORBA::UnknownUserException::_downcast(request->env()->exception());
        require(raised, "nothing was raised");
        const Reason* reason = nullptr;
        require(raised->exception() >>= reason, "not a Reason");
        require(std::string(reason->why) == "four" && reason->code == 4, "members");
    });
    run.check("dynamic/request_system_exception", [&] {
        CORBA::Request_var request = object->_request("fail");
        request->add_in_arg("why") <<= "system";
        try {
            invoke(request);
        } catch (const CORBA::NO_PERMISSION& e) {
            require(e.minor() == 7, "minor");
            return;
        }
        throw Failure("nothing was raised");
    });
    run.check("dynamic/request_bad_operation", [&] {
        CORBA::Request_var request = object->_request("no_such_operation");
        try {
            invoke(request);
        } catch (const CORBA::BAD_OPERATION&) {
            return;
        }
        throw Failure("nothing was raised");
    });
    run.check("dynamic/request_attribute", [&] {
        CORBA::Request_var set = object->_request("_set_title");
        set->add_in_arg() <<= "by request";
        without_exception(set);
        CORBA::Request_var get = object->_request("_get_title");
        get->set_return_type(CORBA::_tc_string);
        without_exception(get);
        const char* title = nullptr;
        require(get->return_value() >>= title, "no string");
        require(std::string(title) == "by request", "another title");
    });
    run.check("dynamic/request_oneway", [&] {
        CORBA::Long before = notes(object);
        CORBA::Request_var request = object->_request("note");
        request->add_in_arg("number") <<= CORBA::Long(4);
        request->send_oneway();
        await([&] { return notes(object) == before + 4; });
    });
    run.check("dynamic/request_deferred", [&] {
        CORBA::Request_var first = add(object, 1, 1), second = add(object, 2, 1);
        first->send_deferred();
        second->send_deferred();
        first->get_response();
        second->get_response();
        require_sum(first, 2);
        require_sum(second, 3);
    });
}

// Calls without stubs of objects with skeletons.
void check_skeletons(Run& run) {
    auto echo_kind = [&](const char* name, CORBA::Object_ptr object, const char* operation,
                         const char* kind) {
        run.check(name, [&] {
            CORBA::Any value = samples::any_of(kind);
            CORBA::TypeCode_var type = value.type();
            echo(object, operation, type, value, value);
        });
    };
    Suite_ptr suite = run.suite();
    Records_var records = suite->record_types();
    echo_kind("dynamic/skeleton_struct", records, "echo_mixed", "mixed");
    Unions_var unions = suite->union_types();
    echo_kind("dynamic/skeleton_union", unions, "echo_by_char", "by_char");
    Recursion_var recursion = suite->recursive_types();
    echo_kind("dynamic/skeleton_recursive", recursion, "echo_expression", "expression");
    Decimals_var decimals = suite->decimal_types();
    echo_kind("dynamic/skeleton_fixed", decimals, "echo_price", "price");
}

}  // namespace

void check_dynamic(Run& run) {
    Dynamic_var object = run.suite()->dynamic_tests();
    check_stubs(run, object);
    check_requests(run, object);
    check_skeletons(run);
}
