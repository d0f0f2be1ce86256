package dev.semel.http;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the requests that wait for the response of another or for their handler, since each holds a thread, also after its client has
 * disconnected. Virtual threads are bounded per user only.
 */
final class Waiters {

    private static final int MOST_PER_USER = 4;
    private static final @Nullable MethodHandle IS_VIRTUAL = isVirtual();

    private final int most;
    private final Map<String, Integer> byUser = new HashMap<>();
    private int onPlatformThreads;

    /** @param most the most requests that wait on platform threads */
    Waiters(int most) {
        this.most = most;
    }

    /** Lets the calling thread wait for a user's request. Returns what to run afterwards; null if the request must not wait. */
    synchronized @Nullable Runnable enter(String user) {
        boolean onPlatformThread = !isVirtual(Thread.currentThread());
        if (byUser.getOrDefault(user, 0) >= MOST_PER_USER || (onPlatformThread && onPlatformThreads >= most)) {
            return null;
        }
        byUser.merge(user, 1, Integer::sum);
        onPlatformThreads += onPlatformThread ? 1 : 0;
        return () -> leave(user, onPlatformThread);
    }

    private synchronized void leave(String user, boolean onPlatformThread) {
        byUser.computeIfPresent(user, (name, waiting) -> waiting == 1 ? null : waiting - 1);
        onPlatformThreads -= onPlatformThread ? 1 : 0;
    }

    private static @Nullable MethodHandle isVirtual() {
        try {
            return MethodHandles.publicLookup()
                    .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return null; // before JDK 21
        }
    }

    private static boolean isVirtual(Thread thread) {
        try {
            return IS_VIRTUAL != null && (boolean) IS_VIRTUAL.invokeExact(thread);
        } catch (Throwable e) {
            throw new AssertionError("Thread.isVirtual does not throw", e);
        }
    }
}
