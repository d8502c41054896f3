package peer;

import Bench.Suite;
import Bench.SuiteHelper;
import Bench.Tally;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import org.omg.CORBA.ORB;

/** The client of the JacORB peer: answers commands until standard input closes. */
public final class Client {
    /** Calls of an operation before it is first timed: Java compiles what is called often. */
    private static final int COMPILING_CALLS = 20_000;
    /** Their payload at most, in octets. */
    private static final int COMPILING_PAYLOAD = 1024;
    /** Each own connection is an ORB with threads of its own. */
    private static final int MAX_OWN_CONNECTIONS = 256;

    private final Options options;
    /** References with a connection each. An ORB uses one connection to a server. */
    private final List<Suite> suites = new ArrayList<>();
    private final Set<String> compiled = new HashSet<>();

    private Client(Options options) {
        this.options = options;
    }

    public static void main(String[] words) throws Exception {
        Client client = new Client(Options.parse(words, true));
        client.suite(0).ping();
        say("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            say(client.answer(line).replaceAll("[\r\n]+", " "));
        }
        System.exit(0);
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private String answer(String line) {
        try {
            Command command = Command.parse(line);
            return command.flood ? flood(command) : run(command);
        } catch (Command.Unsupported e) {
            return "unsupported " + e.getMessage();
        } catch (Command.Failure e) {
            return "failed " + e.getMessage();
        } catch (Exception e) {
            return "failed " + e;
        }
    }

    /** The reference of a connection; collocated calls have none, and the same reference. */
    private Suite suite(int connection) throws Exception {
        boolean collocated = options.address.equals("collocated");
        int wanted = collocated ? 0 : connection;
        while (suites.size() <= wanted) {
            ORB orb = Orbs.start(options);
            Suite suite = collocated ? Orbs.activateSuite(orb)
                    : SuiteHelper.narrow(orb.string_to_object(options.address));
            suite.ping();
            suites.add(suite);
        }
        return suites.get(wanted);
    }

    private void check(Works.Work work, Command command, long n) {
        if (!work.right()) {
            throw new Command.Failure(
                    "the reply to call " + n + " of " + command.operation + " is wrong");
        }
    }

    private Works.Work work(Suite suite, Command command, int payload) {
        Works.Work work = Works.call(suite, command.operation, payload);
        if (work == null) {
            throw new Command.Unsupported("there is no two-way operation " + command.operation);
        }
        return work;
    }

    private String run(Command command) throws Exception {
        if (!command.shared && command.threads > MAX_OWN_CONNECTIONS) {
            throw new Command.Unsupported("more than " + MAX_OWN_CONNECTIONS + " connections");
        }
        if (!compiled.contains(command.operation)) {
            int payload = Math.min(command.payload, COMPILING_PAYLOAD);
            Works.Work work = work(suite(0), command, payload);
            Command many = Command.parse("run " + command.operation + " " + payload + " "
                    + COMPILING_CALLS);
            // The same code as later, so that it is compiled too.
            measure(work, many, 0, new Times());
            compiled.add(command.operation);
        }
        Caller[] callers = new Caller[command.threads];
        long[] start = new long[2];
        CyclicBarrier gate = new CyclicBarrier(command.threads, () -> {
            start[0] = Cpu.time();
            start[1] = System.nanoTime();
        });
        // They end after the last reading of their processor time.
        CyclicBarrier finish = new CyclicBarrier(command.threads);
        for (int i = 0; i < callers.length; i++) {
            Suite suite = suite(command.shared ? 0 : i);
            callers[i] = new Caller(work(suite, command, command.payload), command, gate, finish);
        }
        for (int i = 1; i < callers.length; i++) {
            callers[i].start();
        }
        callers[0].make();
        long cpu = Cpu.time() - start[0];
        finish.await();
        long end = callers[0].end;
        for (Caller caller : callers) {
            if (caller != callers[0]) {
                caller.join();
                callers[0].times.add(caller.times);
                end = Math.max(end, caller.end);
            }
            if (caller.error != null) {
                throw caller.error;
            }
        }
        return done(command.calls * command.threads, end - start[1], cpu) + " "
                + callers[0].times.text();
    }

    /** A thread that calls; the first is the program's main thread. */
    private final class Caller extends Thread {
        final Works.Work work;
        final Command command;
        final CyclicBarrier gate;
        final CyclicBarrier finish;
        final Times times = new Times();
        volatile Exception error;
        volatile long end;

        Caller(Works.Work work, Command command, CyclicBarrier gate, CyclicBarrier finish) {
            this.work = work;
            this.command = command;
            this.gate = gate;
            this.finish = finish;
        }

        @Override
        public void run() {
            make();
            try {
                finish.await();
            } catch (Exception e) {
                error = e;
            }
        }

        void make() {
            try {
                for (long n = 0; n < command.warm; n++) {
                    work.first(n);
                    work.call();
                    check(work, command, n);
                }
            } catch (Exception e) {
                error = e;
            }
            try {
                gate.await();
                if (error == null) {
                    measure(work, command, command.warm, times);
                }
            } catch (Exception e) {
                error = e;
            }
            end = System.nanoTime();
        }
    }

    private void measure(Works.Work work, Command command, long from, Times times) {
        long batch = command.batch;
        long n = from;
        for (long made = 0; made < command.calls; made += batch, n += batch) {
            work.first(n);
            long begin = System.nanoTime();
            for (long i = 0; i < batch; i++) {
                work.call();
            }
            long end = System.nanoTime();
            check(work, command, n);
            times.record(end - begin, batch);
        }
    }

    private String flood(Command command) throws Exception {
        Suite suite = suite(0);
        if (compiled.add(command.operation)) {
            int payload = Math.min(command.payload, COMPILING_PAYLOAD);
            send(suite, command.operation, payload, COMPILING_CALLS);
            suite.sync();
        }
        Tally before = suite.sync();
        Works.Send work = Works.send(suite, command.operation, command.payload);
        if (work == null) {
            throw new Command.Unsupported("there is no one-way operation " + command.operation);
        }
        long cpu = Cpu.time();
        long begin = System.nanoTime();
        long sum = send(work, command.calls);
        Tally taken = suite.sync();
        long wall = System.nanoTime() - begin;
        cpu = Cpu.time() - cpu;
        compare("calls", taken.calls & 0xffff_ffffL, command.calls);
        compare("elements", taken.elements, command.calls * work.length);
        compare("sum", taken.sum, sum);
        return done(command.calls, wall, cpu) + " server_cpu_ns=" + (taken.cpu_ns - before.cpu_ns);
    }

    private static void send(Suite suite, String operation, int payload, long calls) {
        Works.Send work = Works.send(suite, operation, payload);
        if (work == null) {
            throw new Command.Unsupported("there is no one-way operation " + operation);
        }
        send(work, calls);
    }

    /** Makes the calls; returns what the sum of the tally has to be. */
    private static long send(Works.Send work, long calls) {
        long sum = 0;
        for (long n = 0; n < calls; n++) {
            work.first(n);
            work.call();
            sum += work.number(0) + work.number(work.length - 1);
        }
        return sum;
    }

    private static void compare(String what, long taken, long sent) {
        if (taken != sent) {
            throw new Command.Failure(
                    "the server's tally of " + what + " is " + taken + ", not " + sent);
        }
    }

    private static String done(long calls, long wall, long cpu) {
        return "done check=ok calls=" + calls + " wall_ns=" + wall + " cpu_ns=" + cpu;
    }
}
