package peer;

import Interop.*;
import java.util.ArrayList;
import java.util.List;
import org.omg.CORBA.Any;
import org.omg.CORBA.AnyHolder;

/** Servants for object references, inheritance and any. */
final class RefServants {
    private RefServants() {}

    static final class BaseServant extends BasePOA {
        private final String name;

        BaseServant(String name) {
            this.name = name;
        }

        @Override public String name() { return name; }
        @Override public String base_operation(String text) { return name + ".base:" + text; }
    }

    static final class LeftServant extends LeftPOA {
        private final String name;
        private volatile int weight;

        LeftServant(String name) {
            this.name = name;
        }

        @Override public String name() { return name; }
        @Override public String base_operation(String text) { return name + ".base:" + text; }
        @Override public int weight() { return weight; }
        @Override public void weight(int value) { weight = value; }
        @Override public String left_operation(String text) { return name + ".left:" + text; }
    }

    static final class RightServant extends RightPOA {
        private final String name;

        RightServant(String name) {
            this.name = name;
        }

        @Override public String name() { return name; }
        @Override public String base_operation(String text) { return name + ".base:" + text; }

        @Override
        public String right_operation(String text) throws Reason {
            return right(name, text);
        }

        static String right(String name, String text) throws Reason {
            if (text.equals("refuse")) {
                throw new Reason("refuse", 1);
            }
            return name + ".right:" + text;
        }
    }

    static final class BottomServant extends BottomPOA {
        private final String name;
        private volatile int weight;

        BottomServant(String name) {
            this.name = name;
        }

        @Override public String name() { return name; }
        @Override public String base_operation(String text) { return name + ".base:" + text; }
        @Override public int weight() { return weight; }
        @Override public void weight(int value) { weight = value; }
        @Override public String left_operation(String text) { return name + ".left:" + text; }
        @Override public String bottom_operation(String text) { return name + ".bottom:" + text; }

        @Override
        public String right_operation(String text) throws Reason {
            return RightServant.right(name, text);
        }
    }

    static final class PinnedServant extends PinnedPOA {
        @Override public int pinned_operation() { return 37; }
    }

    static final class VersionedServant extends VersionedPOA {
        @Override public int pinned_operation() { return 37; }
        @Override public int versioned_operation() { return 25; }
    }

    /** The operations of Refs that do not echo. */
    static final class RefsRest {
        private final World world;
        private final Pinned pinned;
        private final Versioned versioned;
        private Refs self;

        RefsRest(World world) {
            this.world = world;
            pinned = PinnedHelper.narrow(world.add("pinned", new PinnedServant()));
            versioned = VersionedHelper.narrow(world.add("versioned", new VersionedServant()));
        }

        void self(Refs self) {
            this.self = self;
        }

        Base make(String kind, String name) {
            switch (kind) {
                case "base":
                    return BaseHelper.narrow(world.addFresh(kind, new BaseServant(name)));
                case "left":
                    return LeftHelper.narrow(world.addFresh(kind, new LeftServant(name)));
                case "right":
                    return RightHelper.narrow(world.addFresh(kind, new RightServant(name)));
                case "bottom":
                    return BottomHelper.narrow(world.addFresh(kind, new BottomServant(name)));
                default:
                    return null;
            }
        }

        String call_base(Base target, String text) {
            return target == null ? "nil" : target.base_operation(text);
        }

        String call_all(Base[] targets, String text) {
            List<String> all = new ArrayList<>();
            for (Base target : targets) {
                all.add(call_base(target, text));
            }
            return String.join(",", all);
        }

        String stringify(org.omg.CORBA.Object target) {
            return world.orb.object_to_string(target);
        }

        String ask(Callback target, String question) throws Refused {
            return target.answer(question);
        }

        String ask_all(Callback[] targets, String question) throws Refused {
            List<String> all = new ArrayList<>();
            for (Callback target : targets) {
                all.add(target.answer(question));
            }
            return String.join(",", all);
        }

        /** IDL's notify: Java has one already. */
        void _notify(Callback target, int count) {
            for (int i = 1; i <= count; i++) {
                target.note(i);
            }
        }

        int bounce(Callback other, int depth) {
            return depth <= 0 ? 0 : 1 + other.bounce(self, depth - 1);
        }

        Pinned pinned_one() { return pinned; }
        Versioned versioned_one() { return versioned; }
    }

    static final class AnysServant extends AnysPOA {
        private final Samples samples;
        private final org.omg.CORBA.ORB orb;

        AnysServant(org.omg.CORBA.ORB orb) {
            this.orb = orb;
            samples = new Samples(orb);
        }

        @Override
        public Any echo_any(Any a, AnyHolder b, AnyHolder c) {
            c.value = b.value;
            b.value = a;
            return a;
        }

        @Override
        public Any make(String kind) {
            Any any = samples.anyOf(kind);
            return any == null ? orb.create_any() : any;
        }

        @Override
        public String kind_of(Any value) {
            for (String kind : samples.anyKinds()) {
                if (Samples.sameAny(value, samples.anyOf(kind))) {
                    return kind;
                }
            }
            return "unknown";
        }
    }
}
