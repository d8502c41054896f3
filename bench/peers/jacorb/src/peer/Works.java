package peer;

import Bench.BinStruct;
import Bench.CubeStruct;
import Bench.PaddedStruct;
import Bench.Suite;
import java.util.Arrays;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.IntToLongFunction;
import java.util.function.LongConsumer;
import java.util.function.ObjLongConsumer;
import java.util.function.UnaryOperator;

/** The arguments and stubs of each operation. */
final class Works {
    /** Calls of an operation, prepared. */
    abstract static class Work {
        /** Makes element 0 that of call n. */
        abstract void first(long n);

        /** Calls the stub. */
        abstract void call();

        /** Of a two-way call: whether the last reply is right. */
        boolean right() {
            return true;
        }
    }

    /** One-way calls: what the server's tally counts for each. */
    abstract static class Send extends Work {
        int length;

        /** The number of an element. */
        abstract long number(int index);
    }

    private Works() {}

    private static int length(int payload, int size) {
        return Math.max(1, payload / size);
    }

    private static Work plain(Runnable call) {
        return new Work() {
            @Override void first(long n) {}
            @Override void call() { call.run(); }
        };
    }

    /** Calls with an argument and a reply of type A: an array, of one element for a single one. */
    private static <A> Work typed(A sent, ObjLongConsumer<A> first, UnaryOperator<A> call,
            BiPredicate<A, A> right) {
        return new Work() {
            private A reply;

            @Override void first(long n) { first.accept(sent, n); }
            @Override void call() { reply = call.apply(sent); }
            @Override boolean right() {
                A last = reply;
                reply = null;
                return right.test(sent, last);
            }
        };
    }

    private static boolean all(int length, int other, IntPredicate right) {
        if (length != other) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (!right.test(i)) {
                return false;
            }
        }
        return true;
    }

    /** Two-way calls; null when there is no such operation. */
    static Work call(Suite suite, String operation, int payload) {
        switch (operation) {
            case "ping": return plain(suite::ping);
            case "echo_octets":
                return typed(octets(payload), (a, n) -> a[0] = (byte) (n % 256),
                        suite::echo_octets, Arrays::equals);
            case "echo_longs":
                return typed(longs(payload), (a, n) -> a[0] = (int) n,
                        suite::echo_longs, Arrays::equals);
            case "echo_doubles":
                return typed(doubles(payload), (a, n) -> a[0] = n,
                        suite::echo_doubles, Arrays::equals);
            case "echo_structs":
                return typed(structs(payload), (a, n) -> a[0].l = (int) n,
                        suite::echo_structs,
                        (a, b) -> all(a.length, b.length, i -> Values.same(a[i], b[i])));
            case "cube_void": return plain(suite::cube_void);
            case "cube_octet":
                return typed(new byte[1], (a, n) -> a[0] = (byte) (n % 101),
                        a -> new byte[] {suite.cube_octet(a[0])},
                        (a, b) -> b[0] == Values.cube(a[0]));
            case "cube_long":
                return typed(new int[1], (a, n) -> a[0] = (int) (n % 101),
                        a -> new int[] {suite.cube_long(a[0])},
                        (a, b) -> b[0] == Values.cube(a[0]));
            case "cube_struct":
                return typed(new CubeStruct[] {Values.numbers(0)},
                        (a, n) -> a[0] = Values.numbers(n),
                        a -> new CubeStruct[] {suite.cube_struct(a[0])},
                        (a, b) -> Values.isCube(a[0], b[0]));
            default: return cubes(suite, operation, payload);
        }
    }

    private static Work cubes(Suite suite, String operation, int payload) {
        switch (operation) {
            case "cube_octets": {
                byte[] sent = new byte[length(payload, 1)];
                for (int i = 0; i < sent.length; i++) {
                    sent[i] = (byte) (i % 101);
                }
                return typed(sent, (a, n) -> a[0] = (byte) (n % 101), suite::cube_octets,
                        (a, b) -> all(a.length, b.length, i -> b[i] == Values.cube(a[i])));
            }
            case "cube_shorts": {
                short[] sent = new short[length(payload, 2)];
                for (int i = 0; i < sent.length; i++) {
                    sent[i] = (short) (i % 101);
                }
                return typed(sent, (a, n) -> a[0] = (short) (n % 101), suite::cube_shorts,
                        (a, b) -> all(a.length, b.length, i -> b[i] == Values.cube(a[i])));
            }
            case "cube_longs": {
                int[] sent = new int[length(payload, 4)];
                Arrays.setAll(sent, i -> i % 101);
                return typed(sent, (a, n) -> a[0] = (int) (n % 101), suite::cube_longs,
                        (a, b) -> all(a.length, b.length, i -> b[i] == Values.cube(a[i])));
            }
            case "cube_structs": {
                CubeStruct[] sent = new CubeStruct[length(payload, 12)];
                Arrays.setAll(sent, Values::numbers);
                return typed(sent, (a, n) -> a[0] = Values.numbers(n), suite::cube_structs,
                        (a, b) -> all(a.length, b.length, i -> Values.isCube(a[i], b[i])));
            }
            default: return null;
        }
    }

    private static <A> Send send(A sent, int length, LongConsumer first, Consumer<A> call,
            IntToLongFunction number) {
        Send work = new Send() {
            @Override void first(long n) { first.accept(n); }
            @Override void call() { call.accept(sent); }
            @Override long number(int index) { return number.applyAsLong(index); }
        };
        work.length = length;
        return work;
    }

    /** One-way calls; null when there is no such operation. */
    static Send send(Suite suite, String operation, int payload) {
        switch (operation) {
            case "send_shorts": {
                short[] a = new short[length(payload, 2)];
                for (int i = 0; i < a.length; i++) {
                    a[i] = Values.shortNumber(i);
                }
                return send(a, a.length, n -> a[0] = Values.shortNumber(n), suite::send_shorts,
                        i -> a[i]);
            }
            case "send_chars": {
                char[] a = new char[length(payload, 1)];
                for (int i = 0; i < a.length; i++) {
                    a[i] = Values.character(i);
                }
                return send(a, a.length, n -> a[0] = Values.character(n), suite::send_chars,
                        i -> a[i]);
            }
            case "send_longs": {
                int[] a = longs(payload);
                return send(a, a.length, n -> a[0] = (int) n, suite::send_longs, i -> a[i]);
            }
            case "send_octets": {
                byte[] a = octets(payload);
                return send(a, a.length, n -> a[0] = (byte) (n % 256), suite::send_octets,
                        i -> a[i] & 0xff);
            }
            case "send_doubles": {
                double[] a = doubles(payload);
                return send(a, a.length, n -> a[0] = n, suite::send_doubles, i -> (long) a[i]);
            }
            case "send_structs": {
                BinStruct[] a = structs(payload);
                return send(a, a.length, n -> a[0].l = (int) n, suite::send_structs, i -> a[i].l);
            }
            case "send_padded": {
                PaddedStruct[] a = new PaddedStruct[length(payload, 32)];
                Arrays.setAll(a, Values::padded);
                return send(a, a.length, n -> a[0].l = (int) n, suite::send_padded, i -> a[i].l);
            }
            default: return null;
        }
    }

    private static byte[] octets(int payload) {
        byte[] octets = new byte[length(payload, 1)];
        for (int i = 0; i < octets.length; i++) {
            octets[i] = Values.octet(i);
        }
        return octets;
    }

    private static int[] longs(int payload) {
        int[] longs = new int[length(payload, 4)];
        Arrays.setAll(longs, i -> i);
        return longs;
    }

    private static double[] doubles(int payload) {
        double[] doubles = new double[length(payload, 8)];
        Arrays.setAll(doubles, i -> i / 4.0);
        return doubles;
    }

    private static BinStruct[] structs(int payload) {
        BinStruct[] structs = new BinStruct[length(payload, 24)];
        Arrays.setAll(structs, Values::struct);
        return structs;
    }
}
