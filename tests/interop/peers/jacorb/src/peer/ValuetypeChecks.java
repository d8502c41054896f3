package peer;

import static peer.Run.require;

import Interop.Things.Bulky;
import Interop.Things.ItemHelper;
import Interop.Things.NamedHelper;
import Interop.Things.NodeHelper;
import Interop.Things.NumbersHelper;
import Interop.Things.PackedHelper;
import Interop.Things.PairHelper;
import Interop.Things.Parcel;
import Interop.Things.ParcelHelper;
import Interop.Things.ParcelHolder;
import Interop.Things.ParcelValueFactory;
import Interop.Things.RemarkHelper;
import Interop.Things.RingHelper;
import Interop.Types;
import Interop.Valued;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.TypeCode;
import org.omg.CORBA.TypeCodeHolder;
import peer.Things.MyParcel;

/** Checks of what valuetypes take over and how values are made, and of their types. */
final class ValuetypeChecks {
    private ValuetypeChecks() {}

    static void valuetypes(Run run) {
        inherited(run);
        types(run);
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
}
