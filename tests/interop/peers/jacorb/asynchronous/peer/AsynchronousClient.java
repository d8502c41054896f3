package peer;

import Interop.AMI_BasicsHandlerPOA;
import Interop.AMI_FaultsHandlerPOA;
import Interop.AMI_SettingsHandlerPOA;
import Interop.Reason;
import Interop.Suite;
import Interop.SuiteHelper;
import Interop._BasicsStub;
import Interop._FaultsStub;
import Interop._SettingsStub;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.UserException;
import org.omg.Messaging.ExceptionHolder;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/**
 * A client that does not wait for its calls: {@code asynchronous REF}. Their results go to reply handlers.
 *
 * <p>REF is a stringified reference of the test object. Prints as the other client does: a line for each check, and
 * how many passed and failed.
 */
public final class AsynchronousClient {
    /** How long a result may take. */
    private static final long LIMIT_SECONDS = 300;

    /** What the handlers have got, on threads of the ORB. */
    private static final LinkedBlockingQueue<String> TOLD = new LinkedBlockingQueue<>();

    private static int passed;
    private static int failed;

    private AsynchronousClient() {}

    /** What a check does. */
    private interface Body {
        void run() throws Exception;
    }

    private static String described(SystemException e) {
        return e.getClass().getSimpleName() + " " + e.minor + " " + e.completed.value();
    }

    private static void tell(Object... parts) {
        List<String> words = new ArrayList<>();
        for (Object part : parts) {
            words.add(String.valueOf(part));
        }
        TOLD.add(String.join(" ", words));
    }

    private static void tellException(ExceptionHolder holder) {
        try {
            holder.raise_exception();
            tell("no exception");
        } catch (Reason e) {
            tell("Reason", e.why, e.code);
        } catch (UserException e) {
            tell(e);
        } catch (SystemException e) {
            tell(described(e));
        }
    }

    private static final class BasicsHandler extends AMI_BasicsHandlerPOA {
        @Override
        public void nothing() {
            tell("nothing");
        }

        @Override
        public void nothing_excep(ExceptionHolder holder) {
            tellException(holder);
        }

        @Override
        public void mixed(int result, double b, short c, long size, boolean flip) {
            tell("mixed", result, b, c, size, flip);
        }

        @Override
        public void mixed_excep(ExceptionHolder holder) {
            tellException(holder);
        }
    }

    private static final class FaultsHandler extends AMI_FaultsHandlerPOA {
        @Override
        public void divide(int quotient, int rest) {
            tell("divide", quotient, rest);
        }

        @Override
        public void divide_excep(ExceptionHolder holder) {
            tellException(holder);
        }

        @Override
        public void raise_system() {
            tell("raise_system");
        }

        @Override
        public void raise_system_excep(ExceptionHolder holder) {
            tellException(holder);
        }
    }

    /** In the standard these operations are {@code get_number} and so on. */
    private static final class SettingsHandler extends AMI_SettingsHandlerPOA {
        @Override
        public void _get_number(int number) {
            tell("number", number);
        }

        @Override
        public void _get_number_excep(ExceptionHolder holder) {
            tellException(holder);
        }

        @Override
        public void _set_number() {
            tell("set");
        }

        @Override
        public void _set_number_excep(ExceptionHolder holder) {
            tellException(holder);
        }
    }

    private static String told() throws InterruptedException {
        String text = TOLD.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
        return text == null ? "nothing: the handler is not called" : text;
    }

    private static void same(Object found, Object expected) {
        if (!found.equals(expected)) {
            throw new IllegalStateException("got " + found + ", not " + expected);
        }
    }

    private static void check(String name, Body body) {
        String failure;
        try {
            body.run();
            passed++;
            System.out.println("ok " + name);
            return;
        } catch (SystemException e) {
            failure = described(e);
        } catch (Exception | LinkageError e) {
            failure = e.toString();
        }
        failed++;
        System.out.println("FAIL " + name + ": " + failure);
    }

    private static void runChecks(org.omg.CORBA.ORB orb, String reference) throws Exception {
        POA poa = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
        poa.the_POAManager().activate();
        Suite suite = SuiteHelper.narrow(orb.string_to_object(reference));
        _BasicsStub basics = (_BasicsStub) suite.basic_types();
        _FaultsStub faults = (_FaultsStub) suite.fault_tests();
        Interop.AMI_BasicsHandler forBasics = new BasicsHandler()._this(orb);
        Interop.AMI_FaultsHandler forFaults = new FaultsHandler()._this(orb);
        Interop.AMI_SettingsHandler forSettings = new SettingsHandler()._this(orb);
        check("handlers/nothing", () -> {
            basics.sendc_nothing(forBasics);
            same(told(), "nothing");
        });
        check("handlers/results", () -> {
            basics.sendc_mixed(forBasics, (byte) 7, (short) -3, "abcde", true);
            same(told(), "mixed 42 10.5 3 5 false");
        });
        check("handlers/user_exception", () -> {
            faults.sendc_divide(forFaults, 9, 0);
            same(told(), "Reason division by zero 9");
        });
        check("handlers/system_exception", () -> {
            faults.sendc_raise_system(forFaults, "NO_PERMISSION", 7, 1);
            same(told(), "NO_PERMISSION 7 1");
        });
        check("handlers/attributes", () -> {
            _SettingsStub settings = (_SettingsStub) suite.new_settings("asynchronous");
            settings.sendc_set_number(forSettings, 11);
            same(told(), "set");
            settings.sendc_get_number(forSettings);
            same(told(), "number 11");
        });
        check("handlers/many", () -> {
            // They may end in any order.
            List<String> expected = new ArrayList<>();
            for (int a = 0; a < 200; a++) {
                faults.sendc_divide(forFaults, a, 3);
                expected.add("divide " + a / 3 + " " + a % 3);
            }
            List<String> found = new ArrayList<>();
            for (int i = 0; i < expected.size(); i++) {
                found.add(told());
            }
            Collections.sort(expected);
            Collections.sort(found);
            same(found, expected);
        });
    }

    public static void main(String[] arguments) throws Exception {
        int status = 2;
        try {
            Properties properties = new Properties();
            properties.put("org.omg.CORBA.ORBClass", "org.jacorb.orb.ORB");
            properties.put("org.omg.CORBA.ORBSingletonClass", "org.jacorb.orb.ORBSingleton");
            properties.put("jacorb.dns.enable", "off");
            properties.put("OAIAddr", "127.0.0.1");
            runChecks(org.omg.CORBA.ORB.init(new String[0], properties), arguments[0]);
            System.out.println(passed + " passed, " + failed + " failed");
            status = failed == 0 ? 0 : 1;
        } catch (SystemException e) {
            System.err.println("client: " + e);
        }
        // Connections may have threads that would outlive main.
        System.exit(status);
    }
}
