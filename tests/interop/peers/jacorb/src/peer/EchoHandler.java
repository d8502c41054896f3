package peer;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * The implementation of every {@code echo_X(in a, inout b, out c)}: the result is a, b becomes a,
 * and c becomes the old b. Other operations go to the method of the same name of another object.
 */
final class EchoHandler implements InvocationHandler {
    private final Object others;

    private EchoHandler(Object others) {
        this.others = others;
    }

    /**
     * An implementation of the operations interface, to be tied to its servant. The other object
     * is null when there are echo operations only.
     */
    static <T> T of(Class<T> operations, Object others) {
        return operations.cast(Proxy.newProxyInstance(
                EchoHandler.class.getClassLoader(), new Class<?>[] {operations},
                new EchoHandler(others)));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        if (method.getName().startsWith("echo_") && arguments.length == 3) {
            Field before = arguments[1].getClass().getField("value");
            Field out = arguments[2].getClass().getField("value");
            out.set(arguments[2], before.get(arguments[1]));
            before.set(arguments[1], arguments[0]);
            return arguments[0];
        }
        Method other = others.getClass().getDeclaredMethod(
                method.getName(), method.getParameterTypes());
        try {
            return other.invoke(others, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
