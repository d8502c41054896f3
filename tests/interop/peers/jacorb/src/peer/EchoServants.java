package peer;

import Interop.Data.Expression;
import Interop.Data.Operator;
import Interop.Values.*;
import org.omg.CORBA.BooleanHolder;
import org.omg.CORBA.DoubleHolder;
import org.omg.CORBA.IntHolder;
import org.omg.CORBA.LongHolder;
import org.omg.CORBA.ShortHolder;

/** What the interfaces of echo operations have besides those: methods for EchoHandler. */
final class EchoServants {
    private EchoServants() {}

    static final class BasicsRest {
        void nothing() {}

        int mixed(byte a, DoubleHolder b, ShortHolder c, String d, LongHolder size,
                BooleanHolder flip) {
            b.value = (a & 0xff) * 1.5;
            c.value = (short) -c.value;
            size.value = d.length();
            flip.value = !flip.value;
            return 42;
        }
    }

    static final class TextsRest {
        String repeat(String unit, int count) {
            return unit.repeat(count);
        }
    }

    static final class WidesRest {
        char katakana() {
            return KATAKANA.value;
        }

        String greeting() {
            return WGREETING.value;
        }
    }

    static final class RecursionRest {
        int evaluate(Expression tree) {
            switch (tree.discriminator().value()) {
                case Operator._LITERAL:
                    return tree.value();
                case Operator._NEGATE:
                    return tree.operand().length == 0 ? 0 : -evaluate(tree.operand()[0]);
                default:
                    int sum = 0;
                    for (Expression term : tree.terms()) {
                        sum += evaluate(term);
                    }
                    return sum;
            }
        }
    }

    static final class NamesRest {
        private volatile int oneway;

        int match(int type, int self, int in) {
            return type * 100 + self * 10 + in;
        }

        int _interface(int move) {
            return move + 1;
        }

        void use(IntHolder ref, IntHolder mut) {
            mut.value = ref.value * 2;
            ref.value += 1;
        }

        int mod() {
            return 7;
        }

        int oneway() {
            return oneway;
        }

        void oneway(int value) {
            oneway = value;
        }
    }

    static final class MacrosRest {
        int add(int left, int right) {
            return left + right;
        }

        int doubled_value() {
            return Interop.Macros.DOUBLED;
        }

        String quoted_value() {
            return Interop.Macros.QUOTED;
        }
    }

    static final class DecimalsRest {
        java.math.BigDecimal multiply(java.math.BigDecimal left, java.math.BigDecimal right) {
            return left.multiply(right);
        }

        void pay(java.math.BigDecimal sum) throws Interop.TooDear {
            java.math.BigDecimal limit = new java.math.BigDecimal("100.00");
            if (sum.compareTo(limit) > 0) {
                throw new Interop.TooDear(limit);
            }
        }

        java.math.BigDecimal rate() {
            return Interop.RATE.value;
        }
    }

    static final class LongDoublesRest {
        double widen(double value) {
            return value;
        }

        double narrow(double value) {
            return value;
        }
    }

    static final class TypesRest {
        private final Samples samples;

        TypesRest(org.omg.CORBA.ORB orb) {
            samples = new Samples(orb);
        }

        synchronized org.omg.CORBA.TypeCode make_type(String kind) {
            return samples.anyOf(kind).type();
        }

        synchronized String kind_of_type(org.omg.CORBA.TypeCode type) {
            return samples.firstOfType(type);
        }

        org.omg.CORBA.TypeCode type_of(org.omg.CORBA.Any value) {
            return value.type();
        }
    }

    static final class WideTypesRest {
        void read(String text) throws Interop.Unreadable {
            if (!text.isEmpty()) {
                throw new Interop.Unreadable(text, KATAKANA.value);
            }
        }
    }

    /** JacORB's skeletons know nothing of contexts. */
    static final class ContextsServant extends Interop.ContextsPOA {
        @Override
        public String property(String name) {
            return "";
        }

        @Override
        public String none(String text) {
            return text;
        }
    }

    static final class ConstantsServant extends Interop.ConstantsPOA {
        @Override
        public Interop.ConstantReport report() {
            return new Interop.ConstantReport(SMALL.value, USMALL.value, PRODUCT.value,
                    SHIFTED.value, QUOTIENT.value, REMAINDER.value, MASKED.value, TOGGLED.value,
                    HALVED.value, ALL_BITS.value, FAR.value, LONGEST.value, RATIO.value,
                    TINY.value, PART.value, LETTER.value, NEWLINE.value, QUOTE.value, HEXED.value,
                    OCTAL.value, YES.value, BYTE.value, GREETING.value, FAVOURITE.value,
                    TOTAL.value);
        }
    }
}
