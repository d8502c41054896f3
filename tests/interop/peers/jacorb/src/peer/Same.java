package peer;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;

/** Equality of IDL values, which the generated classes do not define. */
final class Same {
    private Same() {}

    /** Whether two values are the same: references by equivalence, all else member by member. */
    static boolean same(Object a, Object b) {
        if (a == null || b == null) {
            return a == b;
        }
        if (a instanceof org.omg.CORBA.Object && b instanceof org.omg.CORBA.Object) {
            return ((org.omg.CORBA.Object) a)._is_equivalent((org.omg.CORBA.Object) b);
        }
        if (a instanceof org.omg.CORBA.TypeCode && b instanceof org.omg.CORBA.TypeCode) {
            return ((org.omg.CORBA.TypeCode) a).equal((org.omg.CORBA.TypeCode) b);
        }
        if (a instanceof org.omg.CORBA.Any && b instanceof org.omg.CORBA.Any) {
            return Samples.sameAny((org.omg.CORBA.Any) a, (org.omg.CORBA.Any) b);
        }
        if (a.getClass() != b.getClass()) {
            return false;
        }
        if (a.getClass().isArray()) {
            return sameElements(a, b);
        }
        if (a instanceof org.omg.CORBA.portable.IDLEntity) {
            return sameFields(a, b);
        }
        return a.equals(b);
    }

    private static boolean sameElements(Object a, Object b) {
        int length = Array.getLength(a);
        if (length != Array.getLength(b)) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (!same(Array.get(a, i), Array.get(b, i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean sameFields(Object a, Object b) {
        for (Field field : a.getClass().getDeclaredFields()) {
            if (Modifier.isStatic(field.getModifiers())) {
                continue;
            }
            field.setAccessible(true);
            try {
                if (!same(field.get(a), field.get(b))) {
                    return false;
                }
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
        return true;
    }
}
