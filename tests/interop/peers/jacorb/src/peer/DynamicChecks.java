package peer;

import static peer.Run.require;

import Interop.Data.ByCharHelper;
import Interop.Data.ExpressionHelper;
import Interop.Data.MixedHelper;
import Interop.Data.Person;
import Interop.Data.PersonHelper;
import Interop.Data.PriceHelper;
import Interop.Dynamic;
import Interop.Empty;
import Interop.EmptyHelper;
import Interop.Reason;
import Interop.ReasonHelper;
import org.omg.CORBA.Any;
import org.omg.CORBA.BAD_OPERATION;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.NO_PERMISSION;
import org.omg.CORBA.Request;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.TypeCode;
import org.omg.CORBA.UnknownUserException;

/**
 * Checks of calls without stubs, of objects with and without skeletons; and of calls with stubs of
 * an object without a skeleton.
 */
final class DynamicChecks {
    private final Run run;
    private final Samples samples;
    private final Dynamic object;

    private DynamicChecks(Run run) {
        this.run = run;
        samples = new Samples(run.orb);
        object = run.suite.dynamic_tests();
    }

    static void dynamic(Run run) {
        DynamicChecks checks = new DynamicChecks(run);
        checks.stubs();
        checks.requests();
        checks.skeletons();
    }

    private static Person grace() {
        Person grace = Samples.ada();
        grace.name = "Grace";
        return grace;
    }

    private void stubs() {
        run.check("dynamic/stub_add", () -> require(object.add(40, 2) == 42, "the sum"));
        run.echo("dynamic/stub_echo", object, "person", Samples.ada(), grace());
        run.echo("dynamic/stub_any", object, "any", samples.anyOf("tree"),
                samples.anyOf("price"));
        run.check("dynamic/stub_exceptions", () -> {
            Reason e = StateChecks.raised(Reason.class, () -> object.fail("four"));
            require(e.why.equals("four") && e.code == 4, "members");
            StateChecks.raised(Empty.class, () -> object.fail(""));
        });
        run.check("dynamic/stub_system_exception", () -> {
            NO_PERMISSION e =
                    StateChecks.raised(NO_PERMISSION.class, () -> object.fail("system"));
            require(e.minor == 7 && e.completed == CompletionStatus.COMPLETED_NO,
                    "minor, completed");
        });
        run.check("dynamic/stub_attribute", () -> {
            object.title("by stub");
            require(object.title().equals("by stub"), "another title");
        });
        run.check("dynamic/stub_oneway", () -> {
            int before = object.notes();
            object.note(3);
            StateChecks.await(() -> object.notes() == before + 3);
        });
    }

    private static TypeCode plain(TCKind kind) {
        return org.omg.CORBA.ORB.init().get_primitive_tc(kind);
    }

    /** Makes the call, which must not raise an exception. */
    private static void invoke(Request request) throws Exception {
        request.invoke();
        if (request.env().exception() != null) {
            throw request.env().exception();
        }
    }

    private Request add(int left, int right) {
        Request request = object._request("add");
        request.add_named_in_arg("left").insert_long(left);
        request.add_named_in_arg("right").insert_long(right);
        request.set_return_type(plain(TCKind.tk_long));
        return request;
    }

    private int notes() throws Exception {
        Request request = object._request("_get_notes");
        request.set_return_type(plain(TCKind.tk_long));
        invoke(request);
        return request.return_value().extract_long();
    }

    /** {@code T echo_X(in T a, inout T b, out T c)} */
    private static void echo(org.omg.CORBA.Object target, String operation, TypeCode type, Any a,
            Any b) throws Exception {
        Request request = target._request(operation);
        boolean isAny = type.kind() == TCKind.tk_any;
        put(request.add_named_in_arg("a"), a, isAny);
        put(request.add_named_inout_arg("b"), b, isAny);
        request.add_named_out_arg("c").type(type);
        request.set_return_type(type);
        invoke(request);
        require(Samples.sameAny(taken(request.return_value(), isAny), a), "the result is not a");
        require(Samples.sameAny(taken(request.arguments().item(1).value(), isAny), a),
                "the inout parameter is not a");
        require(Samples.sameAny(taken(request.arguments().item(2).value(), isAny), b),
                "the out parameter is not the old b");
    }

    /** An any as parameter is a value of type {@code any}. */
    private static void put(Any place, Any value, boolean isAny) {
        if (isAny) {
            place.insert_any(value);
        } else {
            place.read_value(value.create_input_stream(), value.type());
        }
    }

    private static Any taken(Any value, boolean isAny) {
        return isAny ? value.extract_any() : value;
    }

    private Any any(Person person) {
        Any any = run.orb.create_any();
        PersonHelper.insert(any, person);
        return any;
    }

    private void requests() {
        run.check("dynamic/request_add", () -> {
            Request request = add(40, 2);
            invoke(request);
            require(request.return_value().extract_long() == 42, "the sum");
        });
        run.check("dynamic/request_echo", () -> echo(object, "echo_person", PersonHelper.type(),
                any(Samples.ada()), any(grace())));
        run.check("dynamic/request_any", () -> echo(object, "echo_any", plain(TCKind.tk_any),
                samples.anyOf("tree"), samples.anyOf("price")));
        run.check("dynamic/request_exception", () -> {
            Request request = object._request("fail");
            request.add_named_in_arg("why").insert_string("four");
            request.exceptions().add(EmptyHelper.type());
            request.exceptions().add(ReasonHelper.type());
            UnknownUserException e =
                    StateChecks.raised(UnknownUserException.class, () -> invoke(request));
            Reason reason = ReasonHelper.extract(e.except);
            require(reason.why.equals("four") && reason.code == 4, "members");
        });
        run.check("dynamic/request_system_exception", () -> {
            Request request = object._request("fail");
            request.add_named_in_arg("why").insert_string("system");
            SystemException e = StateChecks.raised(NO_PERMISSION.class, () -> invoke(request));
            require(e.minor == 7, "minor");
        });
        run.check("dynamic/request_bad_operation", () -> StateChecks.raised(BAD_OPERATION.class,
                () -> invoke(object._request("no_such_operation"))));
        run.check("dynamic/request_attribute", () -> {
            Request set = object._request("_set_title");
            set.add_in_arg().insert_string("by request");
            invoke(set);
            Request get = object._request("_get_title");
            get.set_return_type(plain(TCKind.tk_string));
            invoke(get);
            require(get.return_value().extract_string().equals("by request"), "another title");
        });
        run.check("dynamic/request_oneway", () -> {
            int before = notes();
            Request request = object._request("note");
            request.add_named_in_arg("number").insert_long(4);
            request.send_oneway();
            StateChecks.await(() -> object.notes() == before + 4);
        });
        run.check("dynamic/request_deferred", () -> {
            Request first = add(1, 1);
            Request second = add(2, 1);
            first.send_deferred();
            second.send_deferred();
            first.get_response();
            second.get_response();
            require(first.return_value().extract_long() == 2
                    && second.return_value().extract_long() == 3, "the sums");
        });
    }

    /** Calls without stubs of objects with skeletons. */
    private void skeletons() {
        echoKind("struct", run.suite.record_types(), "echo_mixed", MixedHelper.type(), "mixed");
        echoKind("union", run.suite.union_types(), "echo_by_char", ByCharHelper.type(),
                "by_char");
        echoKind("recursive", run.suite.recursive_types(), "echo_expression",
                ExpressionHelper.type(), "expression");
        echoKind("fixed", run.suite.decimal_types(), "echo_price", PriceHelper.type(), "price");
    }

    private void echoKind(String name, org.omg.CORBA.Object target, String operation,
            TypeCode type, String kind) {
        run.check("dynamic/skeleton_" + name,
                () -> echo(target, operation, type, samples.anyOf(kind), samples.anyOf(kind)));
    }
}
