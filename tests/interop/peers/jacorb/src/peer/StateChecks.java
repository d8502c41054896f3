package peer;

import static peer.Run.require;

import Interop.*;
import Interop.Data.ByLong;
import Interop.FaultsPackage.Nearby;
import Interop.NamesPackage.Keywords;
import Interop.NamesPackage._enum;
import Shapes.Colour;
import Shapes.Point;
import org.omg.CORBA.Any;
import org.omg.CORBA.IntHolder;
import org.omg.CORBA.OBJECT_NOT_EXIST;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.UnknownUserException;

/** Checks of names, exceptions, attributes and oneways. */
final class StateChecks {
    private StateChecks() {}

    /** Runs the call, which has to raise an exception of this type, and returns it. */
    static <E extends Exception> E raised(Class<E> type, Run.Body call) throws Exception {
        try {
            call.run();
        } catch (Exception e) {
            if (type.isInstance(e)) {
                return type.cast(e);
            }
            throw e;
        }
        throw new Run.Failure("nothing was raised");
    }

    static void names(Run run) {
        Names names = run.suite.name_tests();
        run.echo("names/struct", names, "keywords", new Keywords(1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
                new Keywords());
        run.echo("names/enum", names, "enum", _enum.fn, _enum.loop, _enum.union, _enum._new);
        run.check("names/operations", () -> {
            require(names.match(1, 2, 3) == 123, "match");
            require(names._interface(41) == 42, "interface");
            IntHolder ref = new IntHolder(5);
            IntHolder mut = new IntHolder();
            names.use(ref, mut);
            require(ref.value == 6 && mut.value == 10, "use");
        });
        run.check("names/attributes", () -> {
            require(names.mod() == 7, "mod");
            names.oneway(11);
            require(names.oneway() == 11, "oneway");
            names.oneway(0);
        });
        Macros macros = run.suite.macro_tests();
        run.echo("macros/echo", macros, "number", 1, -1);
        run.echo("macros/echo_words", macros, "words", "a", "");
        run.check("macros/values", () -> {
            require(macros.add(40, 2) == 42, "add");
            require(macros.doubled_value() == 10, "doubled");
            require(macros.quoted_value().equals("plain words"), "quoted");
        });
        run.check("constants/report", () -> {
            ConstantReport expected = new ConstantReport((short) 1, (short) 65535, 42, 1039, -3,
                    -2, 15, 0x5b, 128, -1, -5000000000L, 9000000000000000000L, 2.75f, 2.5e-30,
                    0.75, 'Z', '\n', '\'', 'A', 'B', true, (byte) 255,
                    "Hello, world\t\"quoted\" AB back\\slash", Colour.GREEN, 1054);
            ConstantReport report = run.suite.constant_tests().report();
            require(Same.same(report, expected), "other constants");
        });
    }

    private static final String[] SYSTEM_EXCEPTIONS = {
        "UNKNOWN", "BAD_PARAM", "NO_MEMORY", "IMP_LIMIT", "COMM_FAILURE", "INV_OBJREF",
        "NO_PERMISSION", "INTERNAL", "MARSHAL", "INITIALIZE", "NO_IMPLEMENT", "BAD_TYPECODE",
        "BAD_OPERATION", "NO_RESOURCES", "NO_RESPONSE", "PERSIST_STORE", "BAD_INV_ORDER",
        "TRANSIENT", "FREE_MEM", "INV_IDENT", "INV_FLAG", "INTF_REPOS", "BAD_CONTEXT",
        "OBJ_ADAPTER", "DATA_CONVERSION", "OBJECT_NOT_EXIST", "TRANSACTION_REQUIRED",
        "TRANSACTION_ROLLEDBACK", "INVALID_TRANSACTION", "INV_POLICY", "CODESET_INCOMPATIBLE",
        "REBIND", "TIMEOUT", "TRANSACTION_UNAVAILABLE", "TRANSACTION_MODE", "BAD_QOS",
    };

    static void faults(Run run) {
        Faults faults = run.suite.fault_tests();
        run.check("faults/none", () -> faults.raise_user("no such kind"));
        run.check("faults/empty", () -> raised(Empty.class, () -> faults.raise_user("empty")));
        run.check("faults/members", () -> {
            Reason e = raised(Reason.class, () -> faults.raise_user("reason"));
            require(e.why.equals("because") && e.code == -42, "wrong members");
        });
        run.check("faults/struct_member", () -> {
            Shapes.Degenerate e = raised(Shapes.Degenerate.class,
                    () -> faults.raise_user("degenerate"));
            require(e.at.x == 3 && e.at.y == -4 && e.why.equals("flat"), "wrong members");
        });
        run.check("faults/rich_members", () -> {
            Detailed e = raised(Detailed.class, () -> faults.raise_user("detailed"));
            require(Same.same(e.who, Samples.ada()), "who");
            require(e.tint == Colour.BLUE && Same.same(e.numbers, new int[] {1, 2, 3}),
                    "tint, numbers");
            require(e.choice.discriminator() == -1 && e.choice.text().equals("chosen"), "choice");
        });
        run.check("faults/of_interface", () -> {
            Nearby e = raised(Nearby.class, () -> faults.raise_user("nearby"));
            require(e.level == (byte) 200 && e.weight == 2.5, "wrong members");
        });
        run.check("faults/result_or_exception", () -> {
            IntHolder rest = new IntHolder();
            require(faults.divide(-17, 5, rest) == -3 && rest.value == -2, "wrong quotient");
            Reason e = raised(Reason.class, () -> faults.divide(9, 0, rest));
            require(e.why.equals("division by zero") && e.code == 9, "wrong members");
            require(faults.divide(9, 3, rest) == 3, "no result after an exception");
        });
        int[] minors = {0, 0x4f4d0001, -1};
        for (String name : SYSTEM_EXCEPTIONS) {
            run.check("faults/system_" + name, () -> {
                for (int completed = 0; completed < 3; completed++) {
                    int status = completed;
                    SystemException e = raised(SystemException.class,
                            () -> faults.raise_system(name, minors[status], status));
                    require(e.getClass().getSimpleName().equals(name) && e.minor == minors[status]
                            && e.completed.value() == status, "got " + e.getClass().getSimpleName()
                            + " minor " + Integer.toHexString(e.minor) + " completed "
                            + e.completed.value());
                }
            });
        }
    }

    static void attributes(Run run) {
        Settings settings = run.suite.new_settings("fresh");
        run.check("attributes/initial", () -> {
            require(settings.label().equals("fresh") && settings.title().isEmpty(),
                    "label, title");
            require(!settings.enabled() && settings.tint() == Colour.RED, "enabled, tint");
            require(settings.next() == null && settings.numbers().length == 0, "next, numbers");
        });
        run.check("attributes/readonly", () -> {
            int before = settings.reads();
            settings.number();
            settings.number();
            require(settings.reads() == before + 2, "reads does not count");
        });
        run.check("attributes/simple", () -> {
            settings.number(-5);
            settings.title("a title");
            settings.motto("a motto");
            settings.enabled(true);
            settings.tint(Colour.BLUE);
            require(settings.number() == -5 && settings.enabled()
                    && settings.tint() == Colour.BLUE, "number, enabled, tint");
            require(settings.title().equals("a title") && settings.motto().equals("a motto"),
                    "title, motto");
        });
        run.check("attributes/constructed", () -> {
            ByLong choice = new ByLong();
            choice.number(1, 9);
            settings.origin(new Point(5, -6));
            settings.owner(Samples.ada());
            settings.numbers(new int[] {1, 2});
            settings.cells(new int[] {1, 2, 3, 4});
            settings.choice(choice);
            require(Same.same(settings.origin(), new Point(5, -6)), "origin");
            require(Same.same(settings.owner(), Samples.ada()), "owner");
            require(Same.same(settings.numbers(), new int[] {1, 2}), "numbers");
            require(Same.same(settings.cells(), new int[] {1, 2, 3, 4}), "cells");
            require(Same.same(settings.choice(), choice), "choice");
        });
        run.check("attributes/reference", () -> {
            Settings other = run.suite.new_settings("other");
            settings.next(other);
            require(settings.next().label().equals("other"), "next is another object");
            settings.next(null);
            require(settings.next() == null, "next is not nil");
            other.destroy();
        });
        run.check("attributes/after_destroy", () -> {
            Settings doomed = run.suite.new_settings("doomed");
            doomed.destroy();
            raised(OBJECT_NOT_EXIST.class, doomed::number);
            require(doomed._non_existent(), "_non_existent is false");
        });
        guarded(run);
    }

    private static void guarded(Run run) {
        Guarded guarded = run.suite.guarded_attributes();
        run.check("attributes/guarded", () -> {
            guarded.level(50);
            require(guarded.level() == 50 && guarded.checked() == 50, "level, checked");
            guarded.level(0);
        });
        run.check("attributes/guarded_set_raises", () -> {
            Reason e = ReasonHelper.extract(raisedBy(guarded, "_set_level", 101));
            require(e.why.equals("too high") && e.code == 101, "wrong members");
            EmptyHelper.extract(raisedBy(guarded, "_set_level", 13));
        });
        run.check("attributes/guarded_get_raises", () -> {
            guarded.level(-1);
            EmptyHelper.extract(raisedBy(guarded, "_get_level", null));
            guarded.level(99);
            Reason e = ReasonHelper.extract(raisedBy(guarded, "_get_checked", null));
            require(e.code == 99, "wrong members");
        });
        run.check("attributes/guarded_reset", () -> guarded.level(0));
    }

    /**
     * The user exception that an attribute's operation raises. Called dynamically: the generated
     * stubs of attributes close a reply before they read the exception in it.
     */
    private static Any raisedBy(org.omg.CORBA.Object target, String operation, Integer argument) {
        org.omg.CORBA.Request request = target._request(operation);
        TCKind result = argument == null ? TCKind.tk_long : TCKind.tk_void;
        request.set_return_type(org.omg.CORBA.ORB.init().get_primitive_tc(result));
        if (argument != null) {
            request.add_in_arg().insert_long(argument);
        }
        request.exceptions().add(EmptyHelper.type());
        request.exceptions().add(ReasonHelper.type());
        request.invoke();
        Exception raised = request.env().exception();
        require(raised != null, "nothing was raised");
        require(raised instanceof UnknownUserException, raised.toString());
        return ((UnknownUserException) raised).except;
    }

    static void events(Run run) {
        Events events = run.suite.new_events();
        run.check("events/oneway", () -> {
            events.ping();
            await(() -> events.count() >= 1);
        });
        run.check("events/oneway_arguments", () -> {
            events.post(1, "posted", new int[] {20, 300});
            await(() -> events.count() >= 2);
            require(events.sum() == 321 && events.last_text().equals("posted"), "sum, last_text");
        });
        run.check("events/many_oneways", () -> {
            for (int i = 0; i < 200; i++) {
                events.ping();
            }
            await(() -> events.count() >= 202);
            require(events.count() == 202, "more oneways than were sent");
        });
    }

    /** A oneway has no reply: waits for its effect. */
    static void await(java.util.function.BooleanSupplier arrived) throws InterruptedException {
        long deadline = System.nanoTime() + 20_000_000_000L;
        while (!arrived.getAsBoolean()) {
            require(System.nanoTime() < deadline, "the oneway did not arrive");
            Thread.sleep(2);
        }
    }
}
