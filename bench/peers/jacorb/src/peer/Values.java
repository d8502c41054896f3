package peer;

import Bench.BinStruct;
import Bench.CubeStruct;
import Bench.PaddedStruct;

/** The values of PROTOCOL.md: element i of each type, cubes, and whether replies are right. */
final class Values {
    private Values() {}

    static byte octet(long i) { return (byte) (i % 251); }
    static short shortNumber(long i) { return (short) (i % 32768); }
    static char character(long i) { return (char) ('A' + i % 26); }

    static BinStruct struct(int i) {
        return new BinStruct(shortNumber(i), character(i), i, (byte) (i % 256), i / 4.0);
    }

    static PaddedStruct padded(int i) {
        return new PaddedStruct(shortNumber(i), character(i), i, (byte) (i % 256), i / 4.0,
                new byte[] {0, 1, 2, 3, 4, 5, 6, 7});
    }

    static CubeStruct numbers(long i) {
        int number = (int) (i % 101);
        return new CubeStruct((byte) number, number, (short) number);
    }

    static byte cube(byte x) { return (byte) (x * x * x); }
    static short cube(short x) { return (short) (x * x * x); }
    static int cube(int x) { return x * x * x; }

    static CubeStruct cube(CubeStruct x) {
        return new CubeStruct(cube(x.o), cube(x.l), cube(x.s));
    }

    static boolean same(BinStruct a, BinStruct b) {
        return a.s == b.s && a.c == b.c && a.l == b.l && a.o == b.o && a.d == b.d;
    }

    static boolean isCube(CubeStruct x, CubeStruct cube) {
        return cube.o == cube(x.o) && cube.l == cube(x.l) && cube.s == cube(x.s);
    }
}
