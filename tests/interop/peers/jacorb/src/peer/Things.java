package peer;

import Interop.Things.Alien;
import Interop.Things.Circle;
import Interop.Things.Dot;
import Interop.Things.Item;
import Interop.Things.Node;
import Interop.Things.Packed;
import Interop.Things.Parcel;
import Interop.Things.ParcelValueFactory;
import Interop.Things.Ring;
import Interop.Things.Shape;
import java.io.Serializable;
import org.omg.CORBA.portable.InputStream;
import org.omg.CORBA.portable.ValueFactory;

/** The values of module Things: the classes of their types, and their factories. */
final class Things {
    private Things() {}

    static final class MyItem extends Item {
        MyItem(String name, int count, byte mark) {
            this.name = name;
            this.count = count;
            this.mark = mark;
        }

        boolean is(String name, int count, int mark) {
            return this.name.equals(name) && this.count == count && this.mark == mark;
        }
    }

    static final class MyNode extends Node {
        MyNode(int number, Node next) {
            this.number = number;
            this.next = next;
        }
    }

    static final class MyShape extends Shape {
        @Override public String label() { return "shape " + id; }
    }

    static final class MyCircle extends Circle {
        @Override public String label() { return "shape " + id; }
    }

    static final class MyRing extends Ring {
        @Override public String label() { return "shape " + id; }
    }

    static final class MyDot extends Dot {
        @Override public String label() { return "shape " + id; }
    }

    static final class MyAlien extends Alien {
        @Override public String label() { return "shape " + id; }
    }

    static final class MyPacked extends Packed {
        MyPacked(int number, String text) {
            this.number = number;
            this.text = text;
        }

        @Override
        public void marshal(org.omg.CORBA.DataOutputStream out) {
            out.write_string(text);
            out.write_long(number);
        }

        @Override
        public void unmarshal(org.omg.CORBA.DataInputStream in) {
            text = in.read_string();
            number = in.read_long();
        }
    }

    static final class MyParcel extends Parcel {
        MyParcel(String content, short layers) {
            this.content = content;
            this.layers = layers;
        }

        boolean is(String content, int layers) {
            return this.content.equals(content) && this.layers == layers;
        }

        @Override public int size() { return content.length(); }
        @Override public int weigh() { return size() + 10 * layers; }
    }

    static final class ParcelFactory implements ParcelValueFactory {
        @Override
        public Parcel wrapped(String content, short layers) {
            return new MyParcel(content, layers);
        }

        @Override public Parcel bare(String content) { return wrapped(content, (short) 0); }

        @Override
        public Serializable read_value(org.omg.CORBA_2_3.portable.InputStream in) {
            return in.read_value(bare(""));
        }
    }

    static final String PARCEL = "IDL:zorb.test/Interop/Things/Parcel:1.0";

    static Circle circle(String id, double radius) {
        Circle circle = new MyCircle();
        circle.id = id;
        circle.radius = radius;
        return circle;
    }

    static Ring ring(String id, double radius, double hole) {
        Ring ring = new MyRing();
        ring.id = id;
        ring.radius = radius;
        ring.hole = hole;
        return ring;
    }

    static Shape shape(String id) {
        Shape shape = new MyShape();
        shape.id = id;
        return shape;
    }

    static Dot dot(String id) {
        Dot dot = new MyDot();
        dot.id = id;
        return dot;
    }

    static Alien alien(String id) {
        Alien alien = new MyAlien();
        alien.id = id;
        alien.radius = 0.5;
        alien.luggage = new MyItem("towel", 42, (byte) 7);
        return alien;
    }

    /** What {@code Valued::describe} says: the most derived type, and the id. */
    static String describe(Shape shape) {
        if (shape == null) {
            return "nil";
        }
        String type = shape instanceof Ring ? "ring " : shape instanceof Circle ? "circle "
                : shape instanceof Dot ? "dot " : "shape ";
        return type + shape.id;
    }

    private interface Maker {
        Serializable make();
    }

    private static void add(org.omg.CORBA_2_3.ORB orb, String id, Maker maker) {
        orb.register_value_factory(id, new ValueFactory() {
            @Override
            public Serializable read_value(org.omg.CORBA_2_3.portable.InputStream in) {
                return in.read_value(maker.make());
            }
        });
    }

    /** Tells the ORB of the types, but for Alien. */
    static void registerFactories(org.omg.CORBA.ORB any) {
        org.omg.CORBA_2_3.ORB orb = (org.omg.CORBA_2_3.ORB) any;
        orb.register_value_factory(PARCEL, new ParcelFactory());
        add(orb, "IDL:zorb.test/Interop/Things/Item:1.0", () -> new MyItem("", 0, (byte) 0));
        add(orb, "IDL:zorb.test/Interop/Things/Node:1.0", () -> new MyNode(0, null));
        add(orb, "IDL:zorb.test/Interop/Things/Shape:1.0", MyShape::new);
        add(orb, "IDL:zorb.test/Interop/Things/Circle:1.0", MyCircle::new);
        add(orb, "IDL:zorb.test/Interop/Things/Ring:1.0", MyRing::new);
        add(orb, "IDL:zorb.test/Interop/Things/Dot:1.0", MyDot::new);
        add(orb, "IDL:zorb.test/Interop/Things/Packed:1.0", () -> new MyPacked(0, ""));
    }
}
