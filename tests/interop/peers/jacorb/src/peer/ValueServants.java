package peer;

import Interop.Lost;
import Interop.Things.Bulky;
import Interop.Things.Item;
import Interop.Things.ItemHelper;
import Interop.Things.Named;
import Interop.Things.Node;
import Interop.Things.Parcel;
import Interop.Things.Shape;
import Interop.Things.Tag;
import Interop.Things.TagHelper;
import java.io.Serializable;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.omg.CORBA.Any;

/** Servants of values and of an abstract interface. */
final class ValueServants {
    private ValueServants() {}

    static final class TagServant extends Interop.Things.TagPOA {
        @Override
        public String label() {
            return "tag";
        }
    }

    static final class ValuedRest {
        private final org.omg.CORBA.ORB orb;
        private final Tag tag;

        ValuedRest(World world) {
            orb = world.orb;
            tag = TagHelper.narrow(world.add("tag", new TagServant()));
        }

        boolean is_same(Node a, Node b) {
            return a == b;
        }

        int count(Node start) {
            Set<Node> found = Collections.newSetFromMap(new IdentityHashMap<>());
            collect(start, found);
            return found.size();
        }

        private static void collect(Node node, Set<Node> found) {
            if (node != null && found.add(node)) {
                collect(node.next, found);
                collect(node.other, found);
            }
        }

        String describe(Shape which) {
            return Things.describe(which);
        }

        Shape make(String kind) {
            switch (kind) {
                case "shape": return Things.shape("plain");
                case "circle": return Things.circle("round", 2.5);
                case "ring": return Things.ring("gold", 3, 1);
                case "dot": return Things.dot("dot");
                default: return null;
            }
        }

        Named make_named(String kind) {
            switch (kind) {
                case "object": return tag;
                case "value": return Things.circle("round", 2.5);
                default: return null;
            }
        }

        String label_of(Named which) {
            return which == null ? "nil" : which.label();
        }

        void lose(Node last) throws Lost {
            throw new Lost(last);
        }

        Any wrap(Item which) {
            Any any = orb.create_any();
            ItemHelper.insert(any, which);
            return any;
        }

        Item unwrap(Any which) {
            return ItemHelper.extract(which);
        }

        Bulky same_bulky(Bulky a) {
            return a;
        }

        int size_of(Bulky which) {
            return which == null ? 0 : which.size();
        }

        int weigh(Parcel which) {
            return which == null ? 0 : which.weigh();
        }

        Serializable echo_base(Serializable a) {
            return a;
        }
    }
}
