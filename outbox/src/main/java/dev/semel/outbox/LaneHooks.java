package dev.semel.outbox;

import dev.semel.store.spi.DocumentStore;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Notifies the senders of this process that a lane of an outbox may have something to send. All objects of an outbox share them. Thread-safe. */
final class LaneHooks {

    private static final Map<DocumentStore, Map<String, LaneHooks>> ALL = new WeakHashMap<>();

    private final List<Consumer<String>> hooks = new CopyOnWriteArrayList<>();

    private LaneHooks() {}

    /** Returns the hooks of an outbox. */
    static LaneHooks of(DocumentStore store, String outbox) {
        synchronized (ALL) {
            return ALL.computeIfAbsent(store, any -> new ConcurrentHashMap<>())
                    .computeIfAbsent(outbox, any -> new LaneHooks());
        }
    }

    /**
     * Calls a hook with the digest of a lane whenever an entry was added to it in this process, or an entry of it may be sent again.
     *
     * @return removes the hook
     */
    Runnable add(Consumer<String> hook) {
        hooks.add(hook);
        return () -> hooks.remove(hook);
    }

    void notify(String lane) {
        hooks.forEach(hook -> hook.accept(lane));
    }
}
