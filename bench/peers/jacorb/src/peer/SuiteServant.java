package peer;

import Bench.BinStruct;
import Bench.CubeStruct;
import Bench.PaddedStruct;
import Bench.SuitePOA;
import Bench.Tally;

/** The one object of a server. */
final class SuiteServant extends SuitePOA {
    private final Tallies tallies = new Tallies();

    @Override public void ping() {}
    @Override public String echo_string(String data) { return data; }
    @Override public byte[] echo_octets(byte[] data) { return data; }
    @Override public int[] echo_longs(int[] data) { return data; }
    @Override public double[] echo_doubles(double[] data) { return data; }
    @Override public BinStruct[] echo_structs(BinStruct[] data) { return data; }

    @Override public void cube_void() {}
    @Override public byte cube_octet(byte number) { return Values.cube(number); }
    @Override public int cube_long(int number) { return Values.cube(number); }
    @Override public CubeStruct cube_struct(CubeStruct numbers) { return Values.cube(numbers); }

    @Override
    public byte[] cube_octets(byte[] numbers) {
        byte[] cubes = new byte[numbers.length];
        for (int i = 0; i < cubes.length; i++) {
            cubes[i] = Values.cube(numbers[i]);
        }
        return cubes;
    }

    @Override
    public short[] cube_shorts(short[] numbers) {
        short[] cubes = new short[numbers.length];
        for (int i = 0; i < cubes.length; i++) {
            cubes[i] = Values.cube(numbers[i]);
        }
        return cubes;
    }

    @Override
    public int[] cube_longs(int[] numbers) {
        int[] cubes = new int[numbers.length];
        for (int i = 0; i < cubes.length; i++) {
            cubes[i] = Values.cube(numbers[i]);
        }
        return cubes;
    }

    @Override
    public CubeStruct[] cube_structs(CubeStruct[] numbers) {
        CubeStruct[] cubes = new CubeStruct[numbers.length];
        for (int i = 0; i < cubes.length; i++) {
            cubes[i] = Values.cube(numbers[i]);
        }
        return cubes;
    }

    @Override
    public void send_shorts(short[] data) {
        tallies.count(data.length, data[0], data[data.length - 1]);
    }

    @Override
    public void send_chars(char[] data) {
        tallies.count(data.length, data[0], data[data.length - 1]);
    }

    @Override
    public void send_longs(int[] data) {
        tallies.count(data.length, data[0], data[data.length - 1]);
    }

    @Override
    public void send_octets(byte[] data) {
        tallies.count(data.length, data[0] & 0xff, data[data.length - 1] & 0xff);
    }

    @Override
    public void send_doubles(double[] data) {
        tallies.count(data.length, (long) data[0], (long) data[data.length - 1]);
    }

    @Override
    public void send_structs(BinStruct[] data) {
        tallies.count(data.length, data[0].l, data[data.length - 1].l);
    }

    @Override
    public void send_padded(PaddedStruct[] data) {
        tallies.count(data.length, data[0].l, data[data.length - 1].l);
    }

    @Override
    public Tally sync() {
        return tallies.take();
    }
}
