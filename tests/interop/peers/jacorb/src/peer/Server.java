package peer;

import Interop.*;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import org.omg.CORBA.Policy;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.LifespanPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.Servant;

/**
 * The test server: {@code server --ior-file F [--giop V] [--port N [--persistent]] [--repository REFERENCE]}.
 *
 * <p>Writes the reference of the test object to F and runs until {@code shutdown} or the end of
 * stdin. With an implementation repository, it registers there, and does not read stdin.
 */
public final class Server {
    private Server() {}

    static final class SuiteServant extends SuitePOA {
        private final World world;
        private final Basics basics;
        private final Texts texts;
        private final Wides wides;
        private final Records records;
        private final Lists lists;
        private final Arrays arrays;
        private final Unions unions;
        private final Recursion recursion;
        private final Names names;
        private final Macros macros;
        private final Faults faults;
        private final Guarded guarded;
        private final Refs refs;
        private final Anys anys;
        private final Constants constants;
        private final Decimals decimals;
        private final LongDoubles longDoubles;
        private final Types types;
        private final WideTypes wideTypes;
        private final Dynamic dynamic;
        private final Contexts contexts;
        private final Valued valued;

        SuiteServant(World world) {
            this.world = world;
            basics = BasicsHelper.narrow(world.add("basics", new BasicsPOATie(
                    EchoHandler.of(BasicsOperations.class, new EchoServants.BasicsRest()))));
            texts = TextsHelper.narrow(world.add("texts", new TextsPOATie(
                    EchoHandler.of(TextsOperations.class, new EchoServants.TextsRest()))));
            wides = WidesHelper.narrow(world.add("wides", new WidesPOATie(
                    EchoHandler.of(WidesOperations.class, new EchoServants.WidesRest()))));
            records = RecordsHelper.narrow(world.add("records", new RecordsPOATie(
                    EchoHandler.of(RecordsOperations.class, null))));
            lists = ListsHelper.narrow(world.add("lists", new ListsPOATie(
                    EchoHandler.of(ListsOperations.class, null))));
            arrays = ArraysHelper.narrow(world.add("arrays", new ArraysPOATie(
                    EchoHandler.of(ArraysOperations.class, null))));
            unions = UnionsHelper.narrow(world.add("unions", new UnionsPOATie(
                    EchoHandler.of(UnionsOperations.class, null))));
            recursion = RecursionHelper.narrow(world.add("recursion", new RecursionPOATie(
                    EchoHandler.of(RecursionOperations.class, new EchoServants.RecursionRest()))));
            names = NamesHelper.narrow(world.add("names", new NamesPOATie(
                    EchoHandler.of(NamesOperations.class, new EchoServants.NamesRest()))));
            macros = MacrosHelper.narrow(world.add("macros", new MacrosPOATie(
                    EchoHandler.of(MacrosOperations.class, new EchoServants.MacrosRest()))));
            faults = FaultsHelper.narrow(world.add("faults", new StateServants.FaultsServant()));
            guarded = GuardedHelper.narrow(
                    world.add("guarded", new StateServants.GuardedServant()));
            RefServants.RefsRest rest = new RefServants.RefsRest(world);
            refs = RefsHelper.narrow(world.add("refs", new RefsPOATie(
                    EchoHandler.of(RefsOperations.class, rest))));
            rest.self(refs);
            anys = AnysHelper.narrow(world.add("anys", new RefServants.AnysServant(world.orb)));
            constants = ConstantsHelper.narrow(
                    world.add("constants", new EchoServants.ConstantsServant()));
            decimals = DecimalsHelper.narrow(world.add("decimals", new DecimalsPOATie(
                    EchoHandler.of(DecimalsOperations.class, new EchoServants.DecimalsRest()))));
            longDoubles = LongDoublesHelper.narrow(world.add("long_doubles",
                    new LongDoublesPOATie(EchoHandler.of(LongDoublesOperations.class,
                            new EchoServants.LongDoublesRest()))));
            types = TypesHelper.narrow(world.add("types", new TypesPOATie(EchoHandler.of(
                    TypesOperations.class, new EchoServants.TypesRest(world.orb)))));
            wideTypes = WideTypesHelper.narrow(world.add("wide_types", new WideTypesPOATie(
                    EchoHandler.of(WideTypesOperations.class,
                            new EchoServants.WideTypesRest()))));
            dynamic = DynamicHelper.narrow(world.add("dynamic", new DynamicServant(world.orb)));
            contexts = ContextsHelper.narrow(
                    world.add("contexts", new EchoServants.ContextsServant()));
            valued = ValuedHelper.narrow(world.add("valued", new ValuedPOATie(EchoHandler.of(
                    ValuedOperations.class, new ValueServants.ValuedRest(world)))));
        }

        @Override public String peer() { return "JacORB"; }
        @Override public Basics basic_types() { return basics; }
        @Override public Texts text_types() { return texts; }
        @Override public Wides wide_types() { return wides; }
        @Override public Records record_types() { return records; }
        @Override public Lists list_types() { return lists; }
        @Override public Arrays array_types() { return arrays; }
        @Override public Unions union_types() { return unions; }
        @Override public Recursion recursive_types() { return recursion; }
        @Override public Names name_tests() { return names; }
        @Override public Macros macro_tests() { return macros; }
        @Override public Faults fault_tests() { return faults; }
        @Override public Guarded guarded_attributes() { return guarded; }
        @Override public Refs reference_tests() { return refs; }
        @Override public Anys any_tests() { return anys; }
        @Override public Constants constant_tests() { return constants; }
        @Override public Decimals decimal_types() { return decimals; }
        @Override public LongDoubles long_double_types() { return longDoubles; }
        @Override public Types type_tests() { return types; }
        @Override public WideTypes wide_text_types() { return wideTypes; }
        @Override public Dynamic dynamic_tests() { return dynamic; }
        @Override public Contexts context_tests() { return contexts; }
        @Override public Valued valued_tests() { return valued; }

        @Override
        public Settings new_settings(String label) {
            Servant servant = new StateServants.SettingsServant(world, label);
            return SettingsHelper.narrow(world.addFresh("settings", servant));
        }

        @Override
        public Events new_events() {
            return EventsHelper.narrow(
                    world.addFresh("events", new StateServants.EventsServant()));
        }

        /** An upcall must not wait for the end of all upcalls: another thread ends the ORB. */
        @Override
        public void shutdown() {
            new Thread(() -> world.orb.shutdown(true), "shutdown").start();
        }
    }

    private static POA createPoa(org.omg.CORBA.ORB orb, POA root, Options options,
            boolean persistent) throws Exception {
        Policy[] policies = {
            root.create_lifespan_policy(persistent
                    ? LifespanPolicyValue.PERSISTENT : LifespanPolicyValue.TRANSIENT),
            root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID),
        };
        if (options.bidirectional) {
            policies = java.util.Arrays.copyOf(policies, 3);
            policies[2] = Options.bothDirections(orb);
        }
        return root.create_POA("Interop", root.the_POAManager(), policies);
    }

    /** A reader never sees half a reference: the file appears with its whole contents. */
    private static void writeAtomically(String file, String text) throws Exception {
        Path path = Paths.get(file).toAbsolutePath();
        Path temporary = path.resolveSibling(path.getFileName() + ".tmp");
        Files.write(temporary, (text + "\n").getBytes("US-ASCII"));
        Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    public static void main(String[] arguments) throws Exception {
        Options options = Options.parse(arguments);
        if (options.iorFile.isEmpty()) {
            throw new IllegalArgumentException("--ior-file is needed");
        }
        org.omg.CORBA.ORB orb = options.startOrb();
        Things.registerFactories(orb);
        POA root = Options.rootPoa(orb);
        boolean persistent = options.persistent || !options.repository.isEmpty();
        World world = new World(orb, createPoa(orb, root, options, persistent));
        org.omg.CORBA.Object suite = world.add("suite", new SuiteServant(world));
        // Not before: a repository forwards clients as soon as there is the POA.
        root.the_POAManager().activate();
        writeAtomically(options.iorFile, orb.object_to_string(suite));

        Thread stdin = new Thread(() -> {
            try {
                while (System.in.read() >= 0) {
                    // Only the end matters.
                }
            } catch (java.io.IOException e) {
                // As good as the end.
            }
            orb.shutdown(true);
        }, "stdin");
        stdin.setDaemon(true);
        if (options.repository.isEmpty()) {
            stdin.start();
        }
        orb.run();
        System.exit(0);
    }
}
