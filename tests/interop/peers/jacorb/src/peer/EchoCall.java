package peer;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** Calls {@code echo_X(in a, inout b, out c)} of a stub, whatever its type. */
final class EchoCall {
    private EchoCall() {}

    /** Returns the result, b afterwards, and c. */
    static Object[] call(Object target, String operation, Object a, Object b) throws Exception {
        Method method = find(target, operation);
        Class<?>[] types = method.getParameterTypes();
        Object inout = types[1].getConstructor().newInstance();
        Object out = types[2].getConstructor().newInstance();
        Field value = types[1].getField("value");
        value.set(inout, b);
        try {
            Object result = method.invoke(target, a, inout, out);
            return new Object[] {result, value.get(inout), value.get(out)};
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Exception) {
                throw (Exception) e.getCause();
            }
            throw e;
        }
    }

    private static Method find(Object target, String operation) {
        for (Method method : target.getClass().getMethods()) {
            if (method.getName().equals("echo_" + operation)) {
                return method;
            }
        }
        throw new IllegalArgumentException("no echo_" + operation);
    }
}
