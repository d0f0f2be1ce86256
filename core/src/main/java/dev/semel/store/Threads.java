package dev.semel.store;

import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Threads for tasks that may block: virtual threads where the JVM has them, otherwise daemons that end when they are idle. */
final class Threads {

    /** Runs each task on a separate thread. Never shut down. */
    static final Executor EXECUTOR = executor();

    private Threads() {}

    private static ExecutorService executor() {
        try {
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return daemons();
        } catch (InvocationTargetException e) {
            return daemons(); // JDK 19 and 20 have the method, but only as a preview
        }
    }

    private static ExecutorService daemons() {
        return Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "semel-timer");
            thread.setDaemon(true);
            return thread;
        });
    }
}
