package peer;

import Interop.Data.AliasHelper;
import Interop.Data.ByColour;
import Interop.Data.ByColourHelper;
import Interop.Data.ByLong;
import Interop.Data.ByLongHelper;
import Interop.Data.ByULong;
import Interop.Data.ByULongHelper;
import Interop.Data.LongSeqHelper;
import Interop.Data.Mixed;
import Interop.Data.MixedHelper;
import Interop.Data.Person;
import Interop.Data.PersonHelper;
import Interop.Data.PersonSeqHelper;
import Interop.Data.RowHelper;
import Interop.Data.Tree;
import Interop.Data.TreeHelper;
import Shapes.Colour;
import Shapes.ColourHelper;
import Shapes.Point;
import Shapes.PointHelper;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.omg.CORBA.Any;
import org.omg.CORBA.ORB;
import org.omg.CORBA.TypeCode;

/** Values that BEHAVIOUR.md names: client and server build the same ones. */
final class Samples {
    /** "Zürich – 東京". */
    static final String TEXT = "Z\u00fcrich \u2013 \u6771\u4eac";

    private final ORB orb;
    private final Map<String, Consumer<Any>> makers = new LinkedHashMap<>();

    Samples(ORB orb) {
        this.orb = orb;
        addBasicKinds();
        addConstructedKinds();
        new MoreSamples(orb).addTo(makers);
        addNilKinds();
    }

    static Person ada() {
        return new Person("Ada", (short) 36, Colour.GREEN, new Point(10, -20),
                new String[] {"x", "", "yz"});
    }

    static Mixed mixed() {
        return new Mixed((byte) 1, -2.5, (short) -3, -4000000000000L, true, 0.5f, 'g',
                (int) 4000000000L, (short) 65535, Long.parseUnsignedLong("18000000000000000000"));
    }

    static Tree tree() {
        Tree leaf = new Tree("leaf", new Tree[0]);
        Tree left = new Tree("left", new Tree[0]);
        Tree right = new Tree("right", new Tree[] {leaf});
        return new Tree("root", new Tree[] {left, right});
    }

    private void addBasicKinds() {
        makers.put("null", a -> {});
        makers.put("boolean", a -> a.insert_boolean(true));
        makers.put("char", a -> a.insert_char('q'));
        makers.put("octet", a -> a.insert_octet((byte) 200));
        makers.put("short", a -> a.insert_short((short) -1234));
        makers.put("ushort", a -> a.insert_ushort((short) 54321));
        makers.put("long", a -> a.insert_long(-123456789));
        makers.put("ulong", a -> a.insert_ulong((int) 4000000000L));
        makers.put("longlong", a -> a.insert_longlong(-9000000000000000L));
        makers.put("ulonglong", a ->
                a.insert_ulonglong(Long.parseUnsignedLong("18000000000000000000")));
        makers.put("float", a -> a.insert_float(1.25f));
        makers.put("double", a -> a.insert_double(-2.5e10));
        makers.put("string", a -> a.insert_string("plain text"));
        makers.put("text", a -> a.insert_string(TEXT));
        makers.put("bounded", a -> {
            a.type(orb.create_string_tc(12));
            a.create_output_stream().write_string("tiny");
        });
        makers.put("alias", a -> AliasHelper.insert(a, "aliased"));
        makers.put("wchar", a -> a.insert_wchar('\u6771'));
        makers.put("wstring", a -> a.insert_wstring("\u6771\u4eac"));
    }

    private void addConstructedKinds() {
        makers.put("colour", a -> ColourHelper.insert(a, Colour.BLUE));
        makers.put("point", a -> PointHelper.insert(a, new Point(1, -2)));
        makers.put("mixed", a -> MixedHelper.insert(a, mixed()));
        makers.put("person", a -> PersonHelper.insert(a, ada()));
        makers.put("long_seq", a -> LongSeqHelper.insert(a, new int[] {1, -2, 3}));
        makers.put("persons", a -> PersonSeqHelper.insert(a, new Person[] {ada(), ada()}));
        makers.put("row", a -> RowHelper.insert(a, new int[] {1, 2, 3, 4}));
        makers.put("by_long", a -> {
            ByLong u = new ByLong();
            u.number(1, 77);
            ByLongHelper.insert(a, u);
        });
        makers.put("no_member", a -> {
            ByULong u = new ByULong();
            u.__default(5);
            ByULongHelper.insert(a, u);
        });
        makers.put("by_colour", a -> {
            ByColour u = new ByColour();
            u.text(Colour.BLUE, "sea");
            ByColourHelper.insert(a, u);
        });
        makers.put("tree", a -> TreeHelper.insert(a, tree()));
        makers.put("nested", a -> {
            Any innermost = orb.create_any();
            innermost.insert_long(5);
            Any inner = orb.create_any();
            inner.insert_any(innermost);
            a.insert_any(inner);
        });
    }

    private void addNilKinds() {
        makers.put("nil_object", a -> a.insert_Object(null,
                orb.get_primitive_tc(org.omg.CORBA.TCKind.tk_objref)));
        makers.put("nil_base", a -> a.insert_Object(null, Interop.BaseHelper.type()));
    }

    /** The kinds of any that {@code Anys::make} knows. */
    Iterable<String> anyKinds() {
        return makers.keySet();
    }

    /** The value of a kind, or null for an unknown one. */
    Any anyOf(String kind) {
        Consumer<Any> maker = makers.get(kind);
        if (maker == null) {
            return null;
        }
        Any any = orb.create_any();
        maker.accept(any);
        return any;
    }

    /** The first kind whose value is of this type, or "unknown". */
    String firstOfType(TypeCode wanted) {
        for (String kind : anyKinds()) {
            if (anyOf(kind).type().equivalent(wanted)) {
                return kind;
            }
        }
        return "unknown";
    }

    /** Whether a kind carries wide characters. */
    static boolean isWide(String kind) {
        return kind.equals("wchar") || kind.equals("wstring") || kind.equals("sign")
                || kind.equals("wide_code");
    }

    /** Whether two anys have equivalent types and equal values. */
    static boolean sameAny(Any a, Any b) {
        return a.type().equivalent(b.type()) && a.equal(b);
    }
}
