package peer;

import static peer.Run.require;

import Interop.Things.Bulky;
import Interop.Things.Item;
import Interop.Things.ItemHelper;
import Interop.Things.NamedHelper;
import Interop.Things.Node;
import Interop.Things.NodeHelper;
import Interop.Things.NumbersHelper;
import Interop.Things.PackedHelper;
import Interop.Things.Pair;
import Interop.Things.PairHelper;
import Interop.Things.Parcel;
import Interop.Things.ParcelHelper;
import Interop.Things.ParcelHolder;
import Interop.Things.ParcelValueFactory;
import Interop.Things.RemarkHelper;
import Interop.Things.RingHelper;
import Interop.Things.ShapeHelper;
import Interop.Types;
import Interop.Valued;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.omg.CORBA.Any;
import org.omg.CORBA.AnyHolder;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.TypeCode;
import org.omg.CORBA.TypeCodeHolder;
import peer.Things.MyItem;
import peer.Things.MyNode;
import peer.Things.MyParcel;

/**
 * Checks of what valuetypes take over and how values are made, of values in anys, and of their
 * types.
 */
final class ValuetypeChecks {
    private ValuetypeChecks() {}

    static void valuetypes(Run run) {
        inherited(run);
        types(run);
        anys(run);
    }

    private static boolean is(Object parcel, String content, int layers) {
        return parcel instanceof MyParcel && ((MyParcel) parcel).is(content, layers);
    }

    private static void inherited(Run run) {
        Valued values = run.suite.valued_tests();
        // The factory that the ORB knows.
        ParcelValueFactory factory = (ParcelValueFactory) ((org.omg.CORBA_2_3.ORB) run.orb)
                .lookup_value_factory(Things.PARCEL);
        Parcel glass = factory.wrapped("glass", (short) 3);
        run.check("valuetypes/initialiser", () -> {
            ParcelHolder b = new ParcelHolder(factory.bare("stone"));
            ParcelHolder c = new ParcelHolder();
            Parcel result = values.echo_parcel(glass, b, c);
            require(is(result, "glass", 3) && is(c.value, "stone", 0), "not echoed");
            require(result == b.value, "the results are not one value");
        });
        run.check("valuetypes/supports", () -> {
            require(values.weigh(glass) == 35, "its weight there");
            Parcel back = values.echo_parcel(glass, new ParcelHolder(), new ParcelHolder());
            require(back.weigh() == 35, "its weight");
        });
        run.check("valuetypes/abstract", () -> {
            require(values.size_of(glass) == 5, "its size there");
            Bulky back = values.same_bulky(glass);
            require(is(back, "glass", 3), "another value");
        });
        run.check("valuetypes/abstract_null", () -> require(
                values.same_bulky(null) == null && values.size_of(null) == 0, "not null"));
    }

    private static void types(Run run) {
        Types types = run.suite.type_tests();
        Map<String, TypeCode> kinds = new LinkedHashMap<>();
        kinds.put("plain", ItemHelper.type());
        kinds.put("recursive", NodeHelper.type());
        kinds.put("derived", RingHelper.type());
        kinds.put("custom", PackedHelper.type());
        kinds.put("box", RemarkHelper.type());
        kinds.put("box_of_sequence", NumbersHelper.type());
        kinds.put("of_abstract", ParcelHelper.type());
        kinds.put("abstract_interface", NamedHelper.type());
        kinds.put("struct", PairHelper.type());
        kinds.forEach((name, type) -> run.check("valuetypes/type_" + name, () -> {
            TypeCodeHolder b = new TypeCodeHolder(
                    org.omg.CORBA.ORB.init().get_primitive_tc(TCKind.tk_null));
            TypeCode result = types.echo_type(type, b, new TypeCodeHolder());
            byte[] sent = octets(type);
            require(Arrays.equals(octets(result), sent) && Arrays.equals(octets(b.value), sent),
                    "not echoed");
        }));
    }

    /** The TypeCode as it is sent: to JacORB none of a valuetype is equal to what it is read as. */
    private static byte[] octets(TypeCode type) {
        try (org.jacorb.orb.CDROutputStream out = new org.jacorb.orb.CDROutputStream()) {
            out.write_TypeCode(type);
            return out.getBufferCopy();
        }
    }

    private interface Insert {
        void into(Any any);
    }

    private static Any echoed(Run run, Insert insert) {
        Any any = run.orb.create_any();
        insert.into(any);
        AnyHolder b = new AnyHolder(run.orb.create_any());
        Any result = run.suite.any_tests().echo_any(any, b, new AnyHolder());
        require(b.value.type().equivalent(any.type()), "the inout parameter has another type");
        return result;
    }

    private static void anys(Run run) {
        run.check("value_anys/plain", () -> {
            Any back = echoed(run, any -> ItemHelper.insert(any, new MyItem("one", 1, (byte) 2)));
            Item item = ItemHelper.extract(back);
            require(item.name.equals("one") && item.count == 1, "another item");
        });
        run.check("value_anys/box", () -> {
            Any back = echoed(run, any -> RemarkHelper.insert(any, "said"));
            require(RemarkHelper.extract(back).equals("said"), "another remark");
        });
        run.check("value_anys/cycle", () -> {
            Node node = new MyNode(9, null);
            node.other = node;
            Node back = NodeHelper.extract(echoed(run, any -> NodeHelper.insert(any, node)));
            require(back.number == 9 && back.other == back, "the cycle");
        });
        run.check("value_anys/derived", () -> {
            Any back = echoed(run, any -> ShapeHelper.insert(any, Things.ring("gold", 3, 1)));
            require(Things.describe(ShapeHelper.extract(back)).equals("ring gold"),
                    "another shape");
        });
        run.check("value_anys/shared_members", () -> {
            Node node = new MyNode(5, null);
            Pair pair = new Pair((byte) 1, node, node, (byte) 2);
            Pair back = PairHelper.extract(echoed(run, any -> PairHelper.insert(any, pair)));
            require(back.one != null && back.one == back.two && back.last == 2, "not shared");
        });
    }
}
