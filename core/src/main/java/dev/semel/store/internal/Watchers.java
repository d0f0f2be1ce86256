package dev.semel.store.internal;

import dev.semel.store.spi.OrderedStore;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Those who {@linkplain OrderedStore#watch watch} a store, for those who write one. */
public final class Watchers {

    private final List<Watcher> watchers = new CopyOnWriteArrayList<>();

    /** Nobody yet. */
    public Watchers() {}

    /** Told apart from another with the same task. */
    private static final class Watcher {
        private final Runnable task;

        Watcher(Runnable task) {
            this.task = task;
        }
    }

    /** One more; returns what takes it away again. */
    public Runnable add(Runnable task) {
        Watcher watcher = new Watcher(task);
        watchers.add(watcher);
        return () -> watchers.remove(watcher);
    }

    /** Notifies all of them. */
    public void signal() {
        for (Watcher watcher : watchers) {
            watcher.task.run();
        }
    }

    /** Whether nobody watches. */
    public boolean isEmpty() {
        return watchers.isEmpty();
    }
}
