package peer;

import Interop.Data.ByLong;
import Interop.Data.Person;
import Interop.Empty;
import Interop.Reason;
import Shapes.Colour;
import Shapes.Point;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.IntHolder;
import org.omg.CORBA.SystemException;

/** Servants with state or with exceptions. */
final class StateServants {
    private StateServants() {}

    static final class FaultsServant extends Interop.FaultsPOA {
        @Override
        public void raise_user(String kind) throws Empty, Reason, Shapes.Degenerate,
                Interop.Detailed, Interop.FaultsPackage.Nearby {
            switch (kind) {
                case "empty": throw new Empty();
                case "reason": throw new Reason("because", -42);
                case "degenerate": throw new Shapes.Degenerate(new Point(3, -4), "flat");
                case "detailed":
                    ByLong choice = new ByLong();
                    choice.text("chosen");
                    throw new Interop.Detailed(Samples.ada(), Colour.BLUE, new int[] {1, 2, 3},
                            choice);
                case "nearby": throw new Interop.FaultsPackage.Nearby((byte) 200, 2.5);
                default: // no such kind: nothing is raised
            }
        }

        @Override
        public int divide(int a, int b, IntHolder rest) throws Reason {
            if (b == 0) {
                throw new Reason("division by zero", a);
            }
            rest.value = a % b;
            return a / b;
        }

        @Override
        public void raise_system(String name, int minor, int completed) {
            throw systemException(name, minor, completed);
        }

        private static SystemException systemException(String name, int minor, int completed) {
            try {
                return (SystemException) Class.forName("org.omg.CORBA." + name)
                        .getConstructor(int.class, CompletionStatus.class)
                        .newInstance(minor, CompletionStatus.from_int(completed % 3));
            } catch (ReflectiveOperationException | ClassCastException e) {
                return new org.omg.CORBA.BAD_PARAM(0, CompletionStatus.COMPLETED_NO);
            }
        }
    }

    static final class GuardedServant extends Interop.GuardedPOA {
        private int level;

        @Override
        public synchronized int level() throws Empty {
            if (level < 0) {
                throw new Empty();
            }
            return level;
        }

        @Override
        public synchronized void level(int value) throws Reason, Empty {
            if (value > 100) {
                throw new Reason("too high", value);
            }
            if (value == 13) {
                throw new Empty();
            }
            level = value;
        }

        @Override
        public synchronized int checked() throws Reason {
            if (level == 99) {
                throw new Reason("checked", 99);
            }
            return level;
        }
    }

    static final class SettingsServant extends Interop.SettingsPOA {
        private final World world;
        private final String label;
        private int reads;
        private int number;
        private String title = "";
        private String motto = "";
        private boolean enabled;
        private Colour tint = Colour.RED;
        private Point origin = new Point(0, 0);
        private Person owner = new Person("", (short) 0, Colour.RED, new Point(0, 0),
                new String[0]);
        private int[] numbers = {};
        private int[] cells = {0, 0, 0, 0};
        private ByLong choice = new ByLong();
        private Interop.Settings next;

        SettingsServant(World world, String label) {
            this.world = world;
            this.label = label;
            choice.text("");
        }

        @Override public String label() { return label; }
        @Override public synchronized int reads() { return reads; }
        @Override public synchronized int number() { reads++; return number; }
        @Override public synchronized void number(int value) { number = value; }
        @Override public synchronized String title() { return title; }
        @Override public synchronized void title(String value) { title = value; }
        @Override public synchronized String motto() { return motto; }
        @Override public synchronized void motto(String value) { motto = value; }
        @Override public synchronized boolean enabled() { return enabled; }
        @Override public synchronized void enabled(boolean value) { enabled = value; }
        @Override public synchronized Colour tint() { return tint; }
        @Override public synchronized void tint(Colour value) { tint = value; }
        @Override public synchronized Point origin() { return origin; }
        @Override public synchronized void origin(Point value) { origin = value; }
        @Override public synchronized Person owner() { return owner; }
        @Override public synchronized void owner(Person value) { owner = value; }
        @Override public synchronized int[] numbers() { return numbers; }
        @Override public synchronized void numbers(int[] value) { numbers = value; }
        @Override public synchronized int[] cells() { return cells; }
        @Override public synchronized void cells(int[] value) { cells = value; }
        @Override public synchronized ByLong choice() { return choice; }
        @Override public synchronized void choice(ByLong value) { choice = value; }
        @Override public synchronized Interop.Settings next() { return next; }
        @Override public synchronized void next(Interop.Settings value) { next = value; }

        @Override
        public void destroy() {
            world.remove(this);
        }
    }

    static final class EventsServant extends Interop.EventsPOA {
        private int count;
        private long sum;
        private String lastText = "";

        @Override
        public synchronized void ping() {
            count++;
        }

        @Override
        public synchronized void post(int number, String text, int[] numbers) {
            sum += number;
            for (int n : numbers) {
                sum += n;
            }
            lastText = text;
            count++;
        }

        @Override public synchronized int count() { return count; }
        @Override public synchronized long sum() { return sum; }
        @Override public synchronized String last_text() { return lastText; }
    }
}
