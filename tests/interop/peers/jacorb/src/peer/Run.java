package peer;

import Interop.Suite;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.UserException;

/** The run of a client's checks: names them, filters them, reports them, counts them. */
final class Run {
    /** A check's own complaint. */
    static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;

        Failure(String what) {
            super(what);
        }
    }

    /** What a check does. */
    interface Body {
        void run() throws Exception;
    }

    final Options options;
    final org.omg.CORBA.ORB orb;
    final org.omg.PortableServer.POA poa;
    final Suite suite;
    /** Which ORB the server is: what {@code Suite::peer} said. */
    final String server;
    private int passed;
    private int failed;
    private int known;
    private int skipped;

    Run(Options options, org.omg.CORBA.ORB orb, org.omg.PortableServer.POA poa, Suite suite) {
        this.options = options;
        this.orb = orb;
        this.poa = poa;
        this.suite = suite;
        this.server = suite.peer();
    }

    /** Fails the check with {@code what} unless {@code holds}. */
    static void require(boolean holds, String what) {
        if (!holds) {
            throw new Failure(what);
        }
    }

    /**
     * Runs the body and prints "ok NAME", "FAIL NAME: reason" or, for a failure that Known lists,
     * "known NAME: reason".
     */
    void check(String name, Body body) {
        check(name, Known.reason(name, server, options.minor()), body);
    }

    private void check(String name, String listed, Body body) {
        if (!selected(name)) {
            return;
        }
        String failure = failureOf(body);
        if (failure != null && listed != null) {
            System.out.println("known " + name + ": " + listed + " [" + failure + "]");
            known++;
        } else if (failure != null) {
            System.out.println("FAIL " + name + ": " + failure);
            failed++;
        } else if (listed != null) {
            System.out.println("FAIL " + name + ": passed, and should not: " + listed);
            failed++;
        } else {
            System.out.println("ok " + name);
            passed++;
        }
    }

    /** The same of a check that fails in a GIOP version below 1.minor: it is known to, then. */
    void checkFrom(int minor, String name, Body body) {
        String listed = Known.reason(name, server, options.minor());
        if (listed == null && options.minor() < minor) {
            listed = "JacORB does this from GIOP 1." + minor + " on";
        }
        check(name, listed, body);
    }

    /** Calls echo_OPERATION of the object with every value as a and its successor as b. */
    void echo(String name, Object target, String operation, Object... values) {
        check(name, () -> echoAll(target, operation, values));
    }

    /** The same from GIOP 1.minor on. */
    void echoFrom(int minor, String name, Object target, String operation, Object... values) {
        checkFrom(minor, name, () -> echoAll(target, operation, values));
    }

    private static void echoAll(Object target, String operation, Object[] values)
            throws Exception {
        for (int i = 0; i < values.length; i++) {
            Object a = values[i];
            Object b = values[(i + 1) % values.length];
            Object[] got = EchoCall.call(target, operation, a, b);
            require(Same.same(got[0], a), "the result is not a");
            require(Same.same(got[1], a), "the inout parameter is not a");
            require(Same.same(got[2], b), "the out parameter is not the old b");
        }
    }

    private boolean selected(String name) {
        if (!options.only.isEmpty() && !lists(options.only, name)) {
            return false;
        }
        if (!lists(options.skip, name)) {
            return true;
        }
        System.out.println("skip " + name + ": as asked");
        skipped++;
        return false;
    }

    /**
     * Whether a comma-separated list has the check's name or its group: "lists" means
     * "lists/octets" too.
     */
    private static boolean lists(String names, String check) {
        for (String name : names.split(",")) {
            if (!name.isEmpty() && (name.equals(check) || check.startsWith(name + "/"))) {
                return true;
            }
        }
        return false;
    }

    private static String failureOf(Body body) {
        try {
            body.run();
            return null;
        } catch (Failure e) {
            return e.getMessage();
        } catch (SystemException e) {
            String[] completed = {"yes", "no", "maybe"};
            return e.getClass().getSimpleName() + " minor 0x" + Integer.toHexString(e.minor)
                    + " completed " + completed[e.completed.value()]
                    + (e.getMessage() == null ? "" : " (" + e.getMessage() + ")");
        } catch (UserException e) {
            return "raised " + e.getClass().getName();
        } catch (Exception | StackOverflowError | LinkageError e) {
            return e.toString();
        }
    }

    /** Prints the totals; returns the exit status. */
    int finish() {
        if (known + skipped > 0) {
            System.out.println(known + " known, " + skipped + " skipped");
        }
        System.out.println(passed + " passed, " + failed + " failed");
        return failed == 0 && passed > 0 ? 0 : 1;
    }
}
