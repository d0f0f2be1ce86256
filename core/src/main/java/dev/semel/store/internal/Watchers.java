package dev.semel.store.internal;

import dev.semel.store.spi.OrderedStore;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The tasks that {@linkplain OrderedStore#watch watch} a store; part of the store. */
public final class Watchers {

    private final List<Watcher> watchers = new CopyOnWriteArrayList<>();

    /** Starts without any watcher. */
    public Watchers() {}

    /** A registration; two with the same task are different. */
    private static final class Watcher {
        private final Runnable task;

        Watcher(Runnable task) {
            this.task = task;
        }
    }

    /** Adds a task, and returns what removes it again. */
    public Runnable add(Runnable task) {
        Watcher watcher = new Watcher(task);
        watchers.add(watcher);
        return () -> watchers.remove(watcher);
    }

    /** Runs the tasks of all watchers. */
    public void signal() {
        for (Watcher watcher : watchers) {
            watcher.task.run();
        }
    }

    /** Whether there is no watcher. */
    public boolean isEmpty() {
        return watchers.isEmpty();
    }
}
