package peer;

import static peer.Run.require;

import Interop.Lost;
import Interop.Things.Choice;
import Interop.Things.ChoiceHolder;
import Interop.Things.Item;
import Interop.Things.ItemHelper;
import Interop.Things.ItemHolder;
import Interop.Things.ItemSeqHolder;
import Interop.Things.Named;
import Interop.Things.NamedHolder;
import Interop.Things.Node;
import Interop.Things.NodeHolder;
import Interop.Things.NumbersHolder;
import Interop.Things.Packed;
import Interop.Things.PackedHolder;
import Interop.Things.Pair;
import Interop.Things.PairHolder;
import Interop.Things.RemarkHolder;
import Interop.Things.Ring;
import Interop.Things.Shape;
import Interop.Things.ShapeHolder;
import Interop.Valued;
import org.omg.CORBA.Any;
import peer.Things.MyItem;
import peer.Things.MyNode;
import peer.Things.MyPacked;

/** Checks of values and of an abstract interface. */
final class ValueChecks {
    private final Run run;
    private final Valued values;

    private ValueChecks(Run run) {
        this.run = run;
        values = run.suite.valued_tests();
    }

    static void values(Run run) {
        ValueChecks checks = new ValueChecks(run);
        checks.plain();
        checks.sharing();
        checks.types();
        checks.abstractInterface();
    }

    private static boolean is(Object item, String name, int count, int mark) {
        return item instanceof MyItem && ((MyItem) item).is(name, count, mark);
    }

    private static Item item() {
        return new MyItem("one", 1, (byte) 2);
    }

    private void plain() {
        run.check("values/null", () -> {
            ItemHolder b = new ItemHolder(new MyItem("old", 3, (byte) 4));
            ItemHolder c = new ItemHolder();
            Item result = values.echo_item(null, b, c);
            require(result == null && b.value == null && is(c.value, "old", 3, 4), "not echoed");
        });
        run.check("values/box", () -> {
            RemarkHolder b = new RemarkHolder("before");
            RemarkHolder c = new RemarkHolder();
            String result = values.echo_remark("said", b, c);
            require("said".equals(result) && "said".equals(b.value) && "before".equals(c.value),
                    "not echoed");
        });
        run.check("values/box_of_sequence", () -> {
            NumbersHolder b = new NumbersHolder(new int[] {1});
            NumbersHolder c = new NumbersHolder();
            int[] result = values.echo_numbers(new int[] {7, -7}, b, c);
            require(result.length == 2 && result[1] == -7 && c.value.length == 1, "not echoed");
        });
        run.check("values/null_box", () -> {
            RemarkHolder b = new RemarkHolder("before");
            RemarkHolder c = new RemarkHolder();
            require(values.echo_remark(null, b, c) == null && b.value == null
                    && "before".equals(c.value), "not echoed");
        });
        run.check("values/custom", () -> {
            PackedHolder b = new PackedHolder(new MyPacked(2, "two"));
            PackedHolder c = new PackedHolder();
            Packed result = values.echo_packed(new MyPacked(1, "one"), b, c);
            require(result.number == 1 && result.text.equals("one"), "the result");
            require(b.value == result && c.value.text.equals("two"), "b, c");
        });
        run.check("values/union", () -> {
            ChoiceHolder b = new ChoiceHolder(
                    MoreSamples.make(new Choice(), u -> u.words("said")));
            ChoiceHolder c = new ChoiceHolder();
            Choice result = values.echo_choice(
                    MoreSamples.make(new Choice(), u -> u.thing(item())), b, c);
            require(is(result.thing(), "one", 1, 2) && c.value.words().equals("said"),
                    "not echoed");
        });
    }

    private void sharing() {
        run.check("values/is_same", () -> {
            Node one = new MyNode(1, null);
            require(values.is_same(one, one), "one value became two");
            require(!values.is_same(one, new MyNode(1, null)), "two values became one");
            require(values.is_same(null, null) && !values.is_same(one, null), "null");
        });
        run.check("values/shared_results", () -> {
            ItemHolder b = new ItemHolder();
            ItemHolder c = new ItemHolder();
            Item a = item();
            Item result = values.echo_item(a, b, c);
            require(is(result, "one", 1, 2), "the result");
            require(result == b.value && c.value == null, "the results are not one value");
            require(result != a, "the result is no copy");
        });
        run.check("values/shared_members", () -> {
            Node node = new MyNode(5, null);
            PairHolder b = new PairHolder(new Pair((byte) 3, null, null, (byte) 4));
            PairHolder c = new PairHolder();
            Pair result = values.echo_pair(new Pair((byte) 1, node, node, (byte) 2), b, c);
            require(result.one != null && result.one == result.two, "not shared");
            require(result.one.number == 5 && result.last == 2, "members");
            require(c.value.one == null && c.value.last == 4, "null");
        });
        run.check("values/shared_elements", () -> {
            Item item = item();
            ItemSeqHolder b = new ItemSeqHolder(new Item[0]);
            ItemSeqHolder c = new ItemSeqHolder();
            Item[] result = values.echo_items(new Item[] {item, null, item}, b, c);
            require(result.length == 3 && c.value.length == 0, "lengths");
            require(is(result[0], "one", 1, 2) && result[1] == null, "elements");
            require(result[0] == result[2], "not shared");
        });
        run.check("values/cycle", () -> {
            Node third = new MyNode(3, null);
            Node second = new MyNode(2, third);
            Node first = new MyNode(1, second);
            third.next = first;
            second.other = second;
            require(values.count(first) == 3, "the count");
            Node result = values.echo_node(first, new NodeHolder(), new NodeHolder());
            require(result.next.next.next == result && result.next.other == result.next,
                    "the cycle");
            require(result.number == 1 && result.next.number == 2, "the numbers");
        });
        run.check("values/exception", () -> {
            Node node = new MyNode(9, null);
            node.other = node;
            Lost e = StateChecks.raised(Lost.class, () -> values.lose(node));
            require(e.last.number == 9 && e.last.other == e.last, "the value");
        });
    }

    private void types() {
        run.check("values/derived", () -> {
            ShapeHolder b = new ShapeHolder();
            Shape result = values.echo_shape(Things.ring("gold", 3, 1), b, new ShapeHolder());
            require(result instanceof Ring, "no ring");
            Ring ring = (Ring) result;
            require(ring.hole == 1 && ring.radius == 3 && ring.id.equals("gold"), "another ring");
        });
        run.check("values/made", () -> {
            for (String name : new String[] {
                "shape plain", "circle round", "ring gold", "dot dot", "nil"}) {
                Shape made = values.make(name.split(" ")[0]);
                require(Things.describe(made).equals(name), "made " + Things.describe(made));
                String said = values.describe(made);
                require(said.equals(name), "described " + said);
            }
        });
        run.check("values/truncated", () -> {
            String said = values.describe(Things.alien("little"));
            require(said.equals("circle little"), "described " + said);
            ShapeHolder b = new ShapeHolder(Things.dot("after"));
            ShapeHolder c = new ShapeHolder();
            Shape result = values.echo_shape(Things.alien("little"), b, c);
            require(Things.describe(result).equals("circle little"), "the result");
            require(Things.describe(c.value).equals("dot after"), "what came after it");
        });
        run.check("values/base", () -> {
            require(is(values.echo_base(item()), "one", 1, 2), "another value");
            require(values.echo_base(null) == null, "not null");
        });
        run.check("values/any", () -> {
            Any any = values.wrap(item());
            require(is(ItemHelper.extract(any), "one", 1, 2), "another item");
            require(is(values.unwrap(any), "one", 1, 2), "another item came back");
        });
    }

    private void abstractInterface() {
        run.check("values/abstract_object", () -> {
            Named object = values.make_named("object");
            require(object.label().equals("tag"), "its label");
            require(values.label_of(object).equals("tag"), "its label there");
            NamedHolder c = new NamedHolder();
            Named result = values.echo_named(object, new NamedHolder(), c);
            require(result.label().equals("tag") && c.value == null, "echoed");
        });
        run.check("values/abstract_value", () -> {
            Named value = values.make_named("value");
            require(value.label().equals("shape round"), "its label");
            require(values.label_of(value).equals("shape round"), "its label there");
        });
        run.check("values/abstract_nil", () -> {
            require(values.make_named("nil") == null, "not nil");
            require(values.label_of(null).equals("nil"), "not nil there");
        });
    }
}
