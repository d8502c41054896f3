package peer;

import Interop.Data.*;
import Interop.Data.ByKindPackage.Kind;
import Interop.EmptyHelper;
import Interop.ReasonHelper;
import Shapes.Point;
import java.math.BigDecimal;
import java.util.Map;
import java.util.function.Consumer;
import org.omg.CORBA.Any;
import org.omg.CORBA.ORB;

/** The values of sequences, unions, recursive types, decimal numbers, TypeCodes and exceptions. */
final class MoreSamples {
    static final BigDecimal WIDEST = new BigDecimal("9999999999999999999999999999999");
    static final BigDecimal FINEST = new BigDecimal("0.9999999999999999999999999999999");
    static final BigDecimal PRICE = new BigDecimal("123.45");
    static final BigDecimal EXACT = new BigDecimal("-123456.7890");

    private final ORB orb;

    MoreSamples(ORB orb) {
        this.orb = orb;
    }

    /** The union with the member that {@code set} gives it. */
    static <U> U make(U union, Consumer<U> set) {
        set.accept(union);
        return union;
    }

    static Crate crate(int seed) {
        double[][] cells = new double[2][3];
        for (int i = 0; i < 6; i++) {
            cells[i / 3][i % 3] = seed + i / 3 * 10 + i % 3 * 0.5;
        }
        short[] few = new short[seed % 4];
        java.util.Arrays.fill(few, (short) -seed);
        return new Crate((byte) seed, Samples.mixed(), Samples.ada(), cells,
                new char[][] {{'a', 'b'}, {'c', 'd'}}, new String[] {"", "five5"}, few,
                new Point[] {new Point(0, 0), new Point(1, -1), new Point(2, -2)}, (byte) 255);
    }

    static Expression expression() {
        Expression three = make(new Expression(), u -> u.value(3));
        return make(new Expression(), u -> u.terms(new Expression[] {
            make(new Expression(), two -> two.value(2)),
            make(new Expression(), minus -> minus.operand(new Expression[] {three}))}));
    }

    static Node node() {
        return new Node(5, new Node[] {new Node(-1, new Node[0], (byte) 1)}, (byte) 2);
    }

    static Bill bill() {
        return new Bill((byte) 1, PRICE, new BigDecimal("-7"),
                new BigDecimal[] {new BigDecimal("100.01"), PRICE.negate()},
                new BigDecimal[] {EXACT, EXACT.negate()}, WIDEST, (byte) 255);
    }

    static Amount amount() {
        return make(new Amount(), u -> u.exact(new BigDecimal("-100.00")));
    }

    static Sign sign() {
        return new Sign((byte) 1, '\u6771', (byte) 2, "\u6771\u4eac x",
                new char[] {'a', '\u00e9', '\u30ab'}, new char[] {'\u4eac', 'b'}, 'z');
    }

    Property property(int number) {
        Any value = orb.create_any();
        value.insert_long(number);
        return new Property("count", value);
    }

    Described described() {
        Any sample = orb.create_any();
        TreeHelper.insert(sample, Samples.tree());
        return new Described((byte) 1, TreeHelper.type(), sample, (byte) 2);
    }

    Variant variant() {
        Any text = orb.create_any();
        text.insert_string("one");
        return make(new Variant(),
                u -> u.list(new Any[] {text, property(2).value, orb.create_any()}));
    }

    void addTo(Map<String, Consumer<Any>> makers) {
        makers.put("octets", a -> BlobHelper.insert(a, new byte[] {0, -1, 7}));
        makers.put("doubles", a -> DoubleSeqHelper.insert(a, new double[] {1.5, -0.25}));
        makers.put("strings", a -> StringSeqHelper.insert(a, new String[] {"a", "", "bc"}));
        makers.put("few_longs", a -> FewLongsHelper.insert(a, new int[] {1, 2}));
        makers.put("table", a -> StringTableHelper.insert(a, new String[][] {{"a", ""}, {}}));
        makers.put("grid", a ->
                GridHelper.insert(a, new double[][] {{1, 2, 3}, {4.5, 5.5, 6.5}}));
        makers.put("words", a -> WordsHelper.insert(a, new String[] {"a", "", "c"}));
        makers.put("crate", a -> CrateHelper.insert(a, crate(1)));
        makers.put("operator", a -> OperatorHelper.insert(a, Operator.NEGATE));
        addUnionsTo(makers);
        makers.put("expression", a -> ExpressionHelper.insert(a, expression()));
        // Not "document": the TypeCode of a union that is declared forward ends in an endless
        // recursion of DocumentHelper.type.
        makers.put("node", a -> NodeHelper.insert(a, node()));
        makers.put("price", a -> PriceHelper.insert(a, PRICE));
        makers.put("exact", a -> ExactHelper.insert(a, EXACT));
        makers.put("digit", a -> DigitHelper.insert(a, new BigDecimal("-7")));
        makers.put("widest", a -> WidestHelper.insert(a, WIDEST));
        makers.put("finest", a -> FinestHelper.insert(a, FINEST.negate()));
        makers.put("bill", a -> BillHelper.insert(a, bill()));
        makers.put("amount", a -> AmountHelper.insert(a, amount()));
        makers.put("alias_of_alias", a -> AliasOfAliasHelper.insert(a, "twice"));
        makers.put("type_code", a -> a.insert_TypeCode(PersonHelper.type()));
        makers.put("type_code_tree", a -> a.insert_TypeCode(TreeHelper.type()));
        makers.put("reason", a -> ReasonHelper.insert(a, new Interop.Reason("because", -42)));
        makers.put("empty", a -> EmptyHelper.insert(a, new Interop.Empty()));
        makers.put("sign", a -> SignHelper.insert(a, sign()));
        makers.put("wide_code", a ->
                WideCodeHelper.insert(a, new char[] {'a', '\u00e9', '\u30ab'}));
        makers.put("property", a -> PropertyHelper.insert(a, property(5)));
        makers.put("properties", a ->
                PropertySeqHelper.insert(a, new Property[] {property(1), property(2)}));
        makers.put("described", a -> DescribedHelper.insert(a, described()));
        makers.put("variant", a -> VariantHelper.insert(a, variant()));
    }

    private static void addUnionsTo(Map<String, Consumer<Any>> makers) {
        makers.put("by_ushort", a -> ByUShortHelper.insert(a,
                make(new ByUShort(), u -> u.text((short) 9, "nine"))));
        makers.put("by_short", a -> ByShortHelper.insert(a,
                make(new ByShort(), u -> u.spot(new Point(3, 4)))));
        makers.put("by_longlong", a -> ByLongLongHelper.insert(a,
                make(new ByLongLong(), u -> u.text("minus"))));
        makers.put("by_ulonglong", a -> ByULongLongHelper.insert(a,
                make(new ByULongLong(), u -> u.text("large"))));
        makers.put("by_char", a -> ByCharHelper.insert(a,
                make(new ByChar(), u -> u.text('c', "third"))));
        makers.put("by_boolean", a -> ByBooleanHelper.insert(a,
                make(new ByBoolean(), u -> u.real(-1.5))));
        makers.put("maybe", a -> MaybeHelper.insert(a, make(new Maybe(), u -> u.value(3))));
        makers.put("by_kind", a -> ByKindHelper.insert(a,
                make(new ByKind(), u -> u.items(Kind.LIST, new int[] {1, 2, 3, 4}))));
    }
}
