package peer;

import static peer.Run.require;

import Interop.Data.ByBoolean;
import Interop.Data.ByChar;
import Interop.Data.ByColour;
import Interop.Data.ByKind;
import Interop.Data.ByKindPackage.Kind;
import Interop.Data.ByLong;
import Interop.Data.ByLongLong;
import Interop.Data.ByShort;
import Interop.Data.ByULong;
import Interop.Data.ByULongLong;
import Interop.Data.ByUShort;
import Interop.Data.Choices;
import Interop.Data.Document;
import Interop.Data.Expression;
import Interop.Data.Maybe;
import Interop.Data.Nested;
import Interop.Data.Node;
import Interop.Data.Person;
import Interop.Data.Tree;
import Interop.Lists;
import Interop.Recursion;
import Interop.Unions;
import Shapes.Colour;
import Shapes.Point;
import java.util.function.Consumer;

/** Checks of sequences, unions and recursive types. */
final class ListChecks {
    private ListChecks() {}

    static void lists(Run run) {
        Lists lists = run.suite.list_types();
        run.echo("lists/booleans", lists, "booleans", new boolean[0],
                new boolean[] {true, false, true});
        run.echo("lists/chars", lists, "chars", new char[0], new char[] {'a', '\0', '~'});
        byte[] octets = new byte[1000];
        new java.util.Random(7).nextBytes(octets);
        run.echo("lists/octets", lists, "blob", new byte[0], new byte[] {1}, octets);
        run.echo("lists/shorts", lists, "shorts", new short[0], new short[] {-32768, 0, 32767});
        run.echo("lists/longs", lists, "longs", new int[0],
                new int[] {Integer.MIN_VALUE, 0, Integer.MAX_VALUE});
        run.echo("lists/longlongs", lists, "longlongs", new long[0],
                new long[] {Long.MIN_VALUE, 1, Long.MAX_VALUE});
        run.echo("lists/floats", lists, "floats", new float[0], new float[] {1.5f, -0.25f, 3e38f});
        run.echo("lists/doubles", lists, "doubles", new double[0],
                new double[] {1.5, -0.25, 1e308});
        run.echo("lists/strings", lists, "strings", new String[0],
                new String[] {"", "one", "three words here"});
        run.echo("lists/aliases", lists, "aliases", new String[0], new String[] {"x"});
        run.echo("lists/enums", lists, "colours", new Colour[0],
                new Colour[] {Colour.BLUE, Colour.RED});
        run.echo("lists/points", lists, "path", new Point[0],
                new Point[] {new Point(1, 2), new Point(3, 4), new Point(-5, -6)});
        run.echo("lists/structs", lists, "persons", new Person[0],
                new Person[] {Samples.ada(), Samples.ada()});
        run.echo("lists/nested", lists, "long_lists", new int[0][], new int[][] {{}, {1}, {1, 2}});
        run.echo("lists/nested_anonymous", lists, "table", new String[0][],
                new String[][] {{"a", ""}, {}, {"bc"}});
        run.echo("lists/arrays", lists, "row_list", new int[0][],
                new int[][] {{1, 2, 3, 4}, {-1, -2, -3, -4}});
        run.echo("lists/unions", lists, "unions", new ByLong[0],
                new ByLong[] {make(new ByLong(), u -> u.text("one")),
                    make(new ByLong(), u -> u.number(0, 2)),
                    make(new ByLong(), u -> u.number(2, 3))});
        run.echo("lists/bounded", lists, "few_longs", new int[0], new int[] {1, 2, 3, 4});
        run.echo("lists/bounded_strings", lists, "few_names", new String[0],
                new String[] {"", "twelve chars", "x"});
        run.echo("lists/bounded_octets", lists, "few_octets", new byte[0], new byte[16]);
    }

    /** The union with the member that {@code set} gives it. */
    private static <U> U make(U union, Consumer<U> set) {
        set.accept(union);
        return union;
    }

    private static Choices choices() {
        return new Choices(make(new ByChar(), u -> u.text('c', "first")),
                make(new Maybe(), u -> u.__default(false)),
                new ByLong[] {make(new ByLong(), u -> u.number(0, 3)),
                    make(new ByLong(), u -> u.text("rest"))});
    }

    /**
     * The *_default checks use the one discriminator that the generated classes let a default
     * member have.
     */
    private static void integerUnions(Run run, Unions unions) {
        run.echo("unions/long", unions, "by_long", make(new ByLong(), u -> u.text("minus one")),
                make(new ByLong(), u -> u.number(0, 5)), make(new ByLong(), u -> u.number(1, 6)),
                make(new ByLong(), u -> u.number(2, 7)));
        run.echo("unions/long_default", unions, "by_long",
                make(new ByLong(), u -> u.real(0.5)), make(new ByLong(), u -> u.real(1)));
        run.echo("unions/ulong", unions, "by_ulong",
                make(new ByULong(), u -> u.small((byte) 255)),
                make(new ByULong(), u -> u.text("two billion")));
        run.echo("unions/ulong_no_member", unions, "by_ulong",
                make(new ByULong(), u -> u.__default(-1)));
        run.echo("unions/short", unions, "by_short",
                make(new ByShort(), u -> u.spot(new Point(1, 2))),
                make(new ByShort(), u -> u.numbers(new int[] {1, 2})));
        run.echo("unions/short_default", unions, "by_short",
                make(new ByShort(), u -> u.yes(true)));
        run.echo("unions/ushort", unions, "by_ushort", make(new ByUShort(), u -> u.letter('l')),
                make(new ByUShort(), u -> u.tint(Colour.BLUE)),
                make(new ByUShort(), u -> u.text((short) 7, "seven")),
                make(new ByUShort(), u -> u.text((short) 9, "nine")));
        run.echo("unions/ushort_no_member", unions, "by_ushort",
                make(new ByUShort(), u -> u.__default((short) 65535)));
        run.echo("unions/longlong", unions, "by_longlong",
                make(new ByLongLong(), u -> u.real(2.5)),
                make(new ByLongLong(), u -> u.text("minus")));
        run.echo("unions/longlong_default", unions, "by_longlong",
                make(new ByLongLong(), u -> u.small((short) -5)));
        run.echo("unions/ulonglong", unions, "by_ulonglong",
                make(new ByULongLong(), u -> u.number(-1)),
                make(new ByULongLong(), u -> u.text("large")));
        run.echo("unions/ulonglong_no_member", unions, "by_ulonglong", make(new ByULongLong(),
                u -> u.__default(Long.parseUnsignedLong("18000000000000000000"))));
    }

    static void unions(Run run) {
        Unions unions = run.suite.union_types();
        integerUnions(run, unions);
        run.echo("unions/char", unions, "by_char", make(new ByChar(), u -> u.number(1)),
                make(new ByChar(), u -> u.text('b', "b")),
                make(new ByChar(), u -> u.text('c', "c")),
                make(new ByChar(), u -> u.spot(new Point(3, 4))));
        run.echo("unions/char_default", unions, "by_char",
                make(new ByChar(), u -> u.small((byte) 9)));
        run.echo("unions/boolean", unions, "by_boolean",
                make(new ByBoolean(), u -> u.text("true")),
                make(new ByBoolean(), u -> u.real(-1.5)));
        run.echo("unions/implicit_default", unions, "maybe", make(new Maybe(), u -> u.value(3)),
                make(new Maybe(), u -> u.__default(false)));
        run.echo("unions/enum", unions, "by_colour", make(new ByColour(), u -> u.number(1)),
                make(new ByColour(), u -> u.text(Colour.GREEN, "g")),
                make(new ByColour(), u -> u.text(Colour.BLUE, "b")));
        run.echo("unions/inline_enum", unions, "by_kind", make(new ByKind(), u -> u.value(4)),
                make(new ByKind(), u -> u.spelling("four")),
                make(new ByKind(), u -> u.items(Kind.LIST, new int[] {1, 2, 3, 4})),
                make(new ByKind(), u -> u.items(Kind.OTHER, new int[] {5, 6, 7, 8})));
        run.echo("unions/in_struct", unions, "choices", choices());
        run.echo("unions/nested", unions, "nested",
                make(new Nested(), u -> u.inner(make(new ByBoolean(), i -> i.text("deep")))),
                make(new Nested(), u -> u.several(choices())));
        run.echo("unions/nested_default", unions, "nested",
                make(new Nested(), u -> u.list(choices().rest)));
    }

    static void recursion(Run run) {
        Recursion recursion = run.suite.recursive_types();
        run.echo("recursion/struct", recursion, "tree", Samples.tree(),
                new Tree("leaf", new Tree[0]));
        Node chain = new Node(0, new Node[0], (byte) 1);
        for (int depth = 1; depth <= 40; depth++) {
            chain = new Node(depth, new Node[] {chain}, (byte) depth);
        }
        run.echo("recursion/forward_struct", recursion, "node", chain);
        // -(2 + 3) + 40
        Expression two = make(new Expression(), u -> u.value(2));
        Expression sum = make(new Expression(), u -> u.terms(new Expression[] {
            two, make(new Expression(), three -> three.value(3))}));
        Expression minus = make(new Expression(), u -> u.operand(new Expression[] {sum}));
        Expression all = make(new Expression(), u -> u.terms(new Expression[] {
            minus, make(new Expression(), forty -> forty.value(40))}));
        run.echo("recursion/union", recursion, "expression", all, two, minus);
        run.check("recursion/evaluate", () ->
                require(recursion.evaluate(all) == 35, "the value is not 35"));
        Document text = make(new Document(), u -> u.text("text"));
        Document truth = make(new Document(), u -> u.truth(true));
        Document items = make(new Document(), u -> u.items(new Document[] {text, truth,
            make(new Document(), inner -> inner.items(new Document[] {truth, text}))}));
        run.echo("recursion/forward_union", recursion, "document", items, text);
    }
}
