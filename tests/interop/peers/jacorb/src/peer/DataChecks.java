package peer;

import static peer.Run.require;

import Interop.*;
import Interop.Data.Mixed;
import Interop.Data.Person;
import Shapes.Colour;
import Shapes.Point;
import Shapes.Segment;
import org.omg.CORBA.BooleanHolder;
import org.omg.CORBA.DoubleHolder;
import org.omg.CORBA.LongHolder;
import org.omg.CORBA.ShortHolder;

/** Checks of basic types, strings, structs, arrays and sequences. */
final class DataChecks {
    private DataChecks() {}

    static void basics(Run run) {
        Basics basics = run.suite.basic_types();
        run.echo("basics/boolean", basics, "boolean", true, false);
        run.echo("basics/char", basics, "char", 'a', '\0', '~', '\n', '\177');
        run.echo("basics/octet", basics, "octet", (byte) 0, (byte) 1, (byte) 127, (byte) -128,
                (byte) -1);
        Object[] shorts = {(short) 0, (short) 1, (short) -1, Short.MIN_VALUE, Short.MAX_VALUE};
        run.echo("basics/short", basics, "short", shorts);
        run.echo("basics/ushort", basics, "ushort", shorts);
        Object[] longs = {0, 1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 0x01234567};
        run.echo("basics/long", basics, "long", longs);
        run.echo("basics/ulong", basics, "ulong", longs);
        Object[] longlongs = {0L, 1L, -1L, Long.MIN_VALUE, Long.MAX_VALUE, 0x0123456789abcdefL};
        run.echo("basics/longlong", basics, "longlong", longlongs);
        run.echo("basics/ulonglong", basics, "ulonglong", longlongs);
        run.echo("basics/float", basics, "float", 0f, -0f, 1.5f, Float.MAX_VALUE, Float.MIN_VALUE,
                Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.NaN);
        run.echo("basics/double", basics, "double", 0.0, -0.0, 1.5, Double.MAX_VALUE,
                Double.MIN_VALUE, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.NaN);
        run.echo("basics/typedef", basics, "count", 7, -7);
        run.check("basics/nothing", basics::nothing);
        run.check("basics/mixed", () -> {
            DoubleHolder b = new DoubleHolder();
            ShortHolder c = new ShortHolder((short) -3);
            LongHolder size = new LongHolder();
            BooleanHolder flip = new BooleanHolder(true);
            int result = basics.mixed((byte) 7, b, c, "abcde", size, flip);
            require(result == 42 && b.value == 10.5 && c.value == 3 && size.value == 5
                    && !flip.value, "wrong values");
        });
        texts(run);
        wides(run);
    }

    private static void texts(Run run) {
        Texts texts = run.suite.text_types();
        run.echo("texts/string", texts, "string", "", "a", "plain ASCII ~!@#", "x".repeat(300));
        // GIOP 1.0 has no negotiation: its strings are Latin-1. JacORB sends UTF-8 all the same,
        // and an echo does not tell.
        run.echo("texts/string_latin1", texts, "string", "Z\u00fcrich", "\u00e9");
        run.echo("texts/string_utf8", texts, "string", Samples.TEXT, "\u0416\u20ac",
                "\u00e9");
        run.echo("texts/string_beyond_bmp", texts, "string", "\ud83d\ude00 beyond");
        run.echo("texts/bounded", texts, "short_name", "", "twelve chars");
        run.echo("texts/alias", texts, "alias", "alias", "");
        run.check("texts/repeat", () -> {
            require(texts.repeat("ab", 3).equals("ababab"), "repeat gave something else");
            require(texts.repeat("ab", 0).isEmpty(), "repeat 0 times is not empty");
        });
    }

    private static void wides(Run run) {
        Wides wides = run.suite.wide_types();
        run.echoFrom(1, "wides/wchar", wides, "wchar", 'a', '\u00e9', '\u30ab', '\u6771',
                '\ufffd', '\0');
        run.echoFrom(1, "wides/wstring", wides, "wstring", "", "a", "Z\u00fcrich",
                "\u6771\u4eac", "\u30ab".repeat(300));
        run.echoFrom(1, "wides/wstring_beyond_bmp", wides, "wstring", "\ud83d\ude00x",
                "\udbff\udfff");
        run.echoFrom(1, "wides/bounded", wides, "short_wide", "", "\u4eac".repeat(8));
        run.echoFrom(1, "wides/sequence", wides, "wide_seq", new String[0],
                new String[] {"first", "", "\u6771\u4eac"});
        run.checkFrom(1, "wides/constants", () -> {
            require(wides.katakana() == '\u30ab', "katakana");
            require(wides.greeting().equals("Gr\u00fc\u00df Gott"), "greeting");
        });
    }

    private static Person nobody() {
        return new Person("", (short) 0, Colour.RED, new Point(0, 0), new String[0]);
    }

    static void records(Run run) {
        Records records = run.suite.record_types();
        run.echo("records/enum", records, "colour", Colour.RED, Colour.GREEN, Colour.BLUE);
        run.echo("records/point", records, "point", new Point(1, -1),
                new Point(Integer.MIN_VALUE, Integer.MAX_VALUE));
        run.echo("records/segment", records, "segment",
                new Segment(new Point(1, 2), new Point(3, 4)),
                new Segment(new Point(-1, -2), new Point(0, 0)));
        run.echo("records/mixed", records, "mixed", Samples.mixed(), new Mixed());
        run.echo("records/person", records, "person", Samples.ada(), nobody());
        Person abroad = Samples.ada();
        abroad.name = Samples.TEXT;
        run.echo("records/person_utf8", records, "person", abroad, nobody());
        run.echo("records/crate", records, "crate", MoreSamples.crate(1),
                MoreSamples.crate(2), MoreSamples.crate(3));
    }

    static void arrays(Run run) {
        Arrays arrays = run.suite.array_types();
        run.echo("arrays/row", arrays, "row", new int[] {1, -2, 3, 4}, new int[4]);
        run.echo("arrays/grid", arrays, "grid", new double[][] {{1, 2, 3}, {4.5, 5.5, 6.5}},
                new double[2][3]);
        run.echo("arrays/structs", arrays, "couple", new Person[] {Samples.ada(), nobody()},
                new Person[] {nobody(), nobody()});
        run.echo("arrays/strings", arrays, "words", new String[] {"", "word", ""},
                new String[] {"a", "b", "c"});
        run.echo("arrays/arrays", arrays, "rows", new int[][] {{1, 2, 3, 4}, {5, 6, 7, 8}},
                new int[2][4]);
        run.echo("arrays/octets", arrays, "address", new byte[] {0, 1, 2, -3, -2, -1},
                new byte[6]);
        run.echo("arrays/sequences", arrays, "seq_pair", new int[][] {{}, {0, 1, 2}},
                new int[][] {{-1}, {}});
        run.echo("arrays/enums", arrays, "flag",
                new Colour[] {Colour.RED, Colour.GREEN, Colour.BLUE},
                new Colour[] {Colour.BLUE, Colour.BLUE, Colour.RED});
        run.echo("arrays/points", arrays, "triangle",
                new Point[] {new Point(1, 2), new Point(3, 4), new Point(5, 6)},
                new Point[] {new Point(0, 0), new Point(-1, 1), new Point(1, -1)});
    }
}
