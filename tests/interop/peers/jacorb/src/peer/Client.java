package peer;

import Interop.Suite;
import Interop.SuiteHelper;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Paths;

/**
 * The test client: {@code client REF [--giop 1.0|1.1|1.2] [--only NAME,...] [--skip NAME,...]}.
 *
 * <p>REF is a stringified reference of the test object, or "@FILE" that holds one. Prints one line
 * for each check and the totals; the exit status is 0 when no check failed.
 */
public final class Client {
    private Client() {}

    private static String readReference(String argument) throws Exception {
        if (argument.isEmpty()) {
            throw new IllegalArgumentException("no reference given");
        }
        return argument.startsWith("@")
                ? new String(Files.readAllBytes(Paths.get(argument.substring(1)))).trim()
                : argument;
    }

    private static int runChecks(String[] arguments) throws Exception {
        Options options = Options.parse(arguments);
        org.omg.CORBA.ORB orb = options.startOrb();
        Things.registerFactories(orb);
        org.omg.PortableServer.POA poa = Options.activeRootPoa(orb);
        if (options.bidirectional) {
            org.omg.CORBA.Policy[] policies = {
                poa.create_implicit_activation_policy(
                        org.omg.PortableServer.ImplicitActivationPolicyValue.IMPLICIT_ACTIVATION),
                Options.bothDirections(orb),
            };
            poa = poa.create_POA("Callbacks", poa.the_POAManager(), policies);
        }
        Suite suite = SuiteHelper.narrow(orb.string_to_object(readReference(options.first)));
        Run run = new Run(options, orb, poa, suite);
        ProtocolChecks.protocol(run);
        DataChecks.basics(run);
        DataChecks.records(run);
        DataChecks.arrays(run);
        ListChecks.lists(run);
        ListChecks.unions(run);
        ListChecks.recursion(run);
        StateChecks.names(run);
        StateChecks.faults(run);
        StateChecks.attributes(run);
        StateChecks.events(run);
        RefChecks.refs(run);
        RefChecks.callbacks(run);
        RefChecks.anys(run);
        TypeChecks.decimals(run);
        TypeChecks.types(run);
        TypeChecks.wideTypes(run);
        TypeChecks.contexts(run);
        DynamicChecks.dynamic(run);
        ValueChecks.values(run);
        ValuetypeChecks.valuetypes(run);
        ProtocolChecks.load(run);
        return run.finish();
    }

    public static void main(String[] arguments) throws Exception {
        System.setOut(new PrintStream(System.out, true, "UTF-8"));
        int status = 2;
        try {
            status = runChecks(arguments);
        } catch (org.omg.CORBA.SystemException | IllegalArgumentException e) {
            System.err.println("client: " + e);
        }
        // Connections may have threads that would outlive main.
        System.exit(status);
    }
}
