package peer;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jacorb.orb.dsi.ServerRequest;
import org.jacorb.poa.RPPoolManager;
import org.jacorb.poa.RequestProcessor;

/**
 * What a sink has taken, by connection. JacORB gives the requests of a connection to several
 * threads at once and says neither which connection it is nor when they are done: its request
 * processors are asked, which takes reflection.
 */
final class Tallies {
    private static final MethodHandle REQUEST = getter(RequestProcessor.class, "request");
    private static final MethodHandle POOL = getter(RequestProcessor.class, "poolManager");
    private static final MethodHandle ACTIVE = getter(RPPoolManager.class, "activeProcessors");

    /** A tally in the making. */
    private static final class Count {
        int calls;
        long elements;
        long sum;
    }

    private final Map<Object, Count> counts = new ConcurrentHashMap<>();

    /** Counts a call on the connection that is being served. */
    void count(long length, long first, long last) {
        Count count = counts.computeIfAbsent(connection(Thread.currentThread()), c -> new Count());
        synchronized (count) {
            count.calls++;
            count.elements += length;
            count.sum += first + last;
        }
    }

    /** The tally of the connection that is being served; the next begins from nothing. */
    Bench.Tally take() {
        Object connection = connection(Thread.currentThread());
        awaitOthers(connection);
        Count count = counts.remove(connection);
        if (count == null) {
            count = new Count();
        }
        synchronized (count) {
            return new Bench.Tally(count.calls, count.elements, count.sum, Cpu.time());
        }
    }

    /** Waits until the calls of the connection that began before this one are done. */
    private static void awaitOthers(Object connection) {
        if (!(Thread.currentThread() instanceof RequestProcessor)) {
            return;
        }
        Object pool = read(POOL, Thread.currentThread());
        synchronized (pool) {
            while (othersServe(pool, connection)) {
                try {
                    // It is notified whenever a processor is done.
                    pool.wait(100);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    private static boolean othersServe(Object pool, Object connection) {
        for (Object processor : (Set<?>) read(ACTIVE, pool)) {
            if (processor != Thread.currentThread()
                    && connection((Thread) processor) == connection) {
                return true;
            }
        }
        return false;
    }

    /** The connection that a thread serves; of a collocated call and of none the thread itself. */
    private static Object connection(Thread thread) {
        if (thread instanceof RequestProcessor) {
            ServerRequest request = (ServerRequest) read(REQUEST, thread);
            if (request != null) {
                return request.getConnection();
            }
        }
        return thread;
    }

    private static MethodHandle getter(Class<?> owner, String name) {
        try {
            Field field = owner.getDeclaredField(name);
            field.setAccessible(true);
            return MethodHandles.lookup().unreflectGetter(field);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static Object read(MethodHandle getter, Object owner) {
        try {
            return getter.invoke(owner);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
