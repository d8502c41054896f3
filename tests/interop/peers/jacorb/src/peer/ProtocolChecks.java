package peer;

import static peer.Run.require;

import Interop.Basics;
import Interop.Data.Person;
import Interop.Lists;
import Interop.SuiteHelper;
import Interop.Texts;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jacorb.orb.ParsedIOR;
import org.jacorb.orb.iiop.IIOPProfile;
import org.omg.CORBA.IntHolder;
import org.omg.CORBA.StringHolder;

/** Checks below the level of IDL: pseudo operations, wrong operations and keys, load. */
final class ProtocolChecks {
    private ProtocolChecks() {}

    /** The corbaloc of a reference's first IIOP profile, with another key if one is given. */
    private static String corbaloc(Run run, org.omg.CORBA.Object object, byte[] otherKey) {
        ParsedIOR ior = new ParsedIOR((org.jacorb.orb.ORB) run.orb,
                run.orb.object_to_string(object));
        IIOPProfile profile = (IIOPProfile) ior.getEffectiveProfile();
        org.jacorb.orb.iiop.IIOPAddress address =
                (org.jacorb.orb.iiop.IIOPAddress) profile.getAddress();
        StringBuilder text = new StringBuilder("corbaloc:iiop:" + run.options.giop + "@"
                + address.getIP() + ":" + address.getPort() + "/");
        for (byte b : otherKey == null ? profile.get_object_key() : otherKey) {
            text.append(String.format("%%%02x", b));
        }
        return text.toString();
    }

    private static byte[] key(Run run, org.omg.CORBA.Object object) {
        return new ParsedIOR((org.jacorb.orb.ORB) run.orb, run.orb.object_to_string(object))
                .get_object_key();
    }

    /** Invokes an operation without arguments dynamically. */
    private static void invoke(org.omg.CORBA.Object target, String operation) throws Exception {
        org.omg.CORBA.Request request = target._request(operation);
        request.set_return_type(org.omg.CORBA.ORB.init().get_primitive_tc(
                org.omg.CORBA.TCKind.tk_void));
        request.invoke();
        if (request.env().exception() != null) {
            throw request.env().exception();
        }
    }

    static void protocol(Run run) {
        Basics basics = run.suite.basic_types();
        run.check("protocol/is_a", () -> {
            require(run.suite._is_a("IDL:zorb.test/Interop/Suite:1.0"), "Suite");
            require(run.suite._is_a("IDL:omg.org/CORBA/Object:1.0"), "Object");
            require(!run.suite._is_a("IDL:zorb.test/Interop/Basics:1.0"), "Basics");
        });
        run.check("protocol/non_existent", () -> require(!run.suite._non_existent(), "true"));
        run.check("protocol/same_object", () -> {
            require(basics._is_equivalent(run.suite.basic_types()),
                    "the same object is not equivalent to itself");
            require(!basics._is_equivalent(run.suite.text_types()),
                    "different objects are equivalent");
        });
        run.check("protocol/corbaloc", () -> {
            String text = corbaloc(run, run.suite, null);
            require(SuiteHelper.narrow(run.orb.string_to_object(text)).peer().equals(run.server),
                    "another peer");
        });
        run.check("protocol/bad_operation", () -> {
            StateChecks.raised(org.omg.CORBA.BAD_OPERATION.class,
                    () -> invoke(basics, "no_such_operation"));
            basics.nothing();
        });
        run.check("protocol/unknown_key", () -> {
            byte[] key = key(run, basics);
            key[key.length - 1] ^= 0x5a;
            org.omg.CORBA.Object stranger =
                    run.orb.string_to_object(corbaloc(run, basics, key));
            StateChecks.raised(org.omg.CORBA.OBJECT_NOT_EXIST.class,
                    () -> invoke(stranger, "nothing"));
            require(stranger._non_existent(), "_non_existent is false");
        });
        run.check("protocol/foreign_key", () -> {
            org.omg.CORBA.Object stranger = run.orb.string_to_object(
                    corbaloc(run, basics, "no such key".getBytes("US-ASCII")));
            require(stranger._non_existent(), "_non_existent is false");
            basics.nothing();
        });
    }

    static void load(Run run) {
        Lists lists = run.suite.list_types();
        Texts texts = run.suite.text_types();
        byte[] octets = new byte[1 << 20];
        new java.util.Random(1).nextBytes(octets);
        run.echo("load/large_octets", lists, "blob", octets, new byte[0]);
        run.check("load/large_string", () -> {
            String text = texts.repeat("0123456789abcdef", 4096);
            require(text.length() == 65536, "wrong length");
            StringHolder b = new StringHolder("");
            require(texts.echo_string(text, b, new StringHolder()).equals(text), "not echoed");
        });
        double[] doubles = new double[20000];
        for (int i = 0; i < doubles.length; i++) {
            doubles[i] = i * 0.25;
        }
        run.echo("load/large_doubles", lists, "doubles", doubles, new double[0]);
        Person[] persons = new Person[2000];
        for (int i = 0; i < persons.length; i++) {
            persons[i] = Samples.ada();
            persons[i].name = "n".repeat(i % 37);
        }
        run.echo("load/many_structs", lists, "persons", persons, new Person[0]);
        run.check("load/threads", () -> threads(run, texts));
    }

    private static void threads(Run run, Texts texts) throws InterruptedException {
        Basics basics = run.suite.basic_types();
        AtomicInteger wrong = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 8; t++) {
            int first = t * 1000;
            threads.add(new Thread(() -> {
                try {
                    for (int number = first; number < first + 100; number++) {
                        IntHolder c = new IntHolder();
                        if (basics.echo_long(number, new IntHolder(-number), c) != number
                                || c.value != -number) {
                            wrong.incrementAndGet();
                        }
                        String text = number + ".".repeat(number - first);
                        if (!text.equals(texts.echo_string(text, new StringHolder(""),
                                new StringHolder()))) {
                            wrong.incrementAndGet();
                        }
                    }
                } catch (RuntimeException e) {
                    wrong.incrementAndGet();
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        require(wrong.get() == 0, wrong + " wrong answers");
    }
}
