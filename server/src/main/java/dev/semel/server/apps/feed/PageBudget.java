package dev.semel.server.apps.feed;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Limits the memory of all event pages that are held for readers that are behind. When the budget is exhausted, the readers that have held
 * their page longest lose it, since they are the slowest.
 */
final class PageBudget {

    private final long most;
    private final Map<Subscriber, Long> held = new LinkedHashMap<>(); // in order of acquisition
    private long bytes;

    /** @param most the budget in bytes; a single page may exceed it */
    PageBudget(long most) {
        this.most = most;
    }

    /** Reserves memory for a page of a reader that holds none. Returns the readers that lost theirs, which must be ended. */
    synchronized List<Subscriber> take(Subscriber reader, long needed) {
        List<Subscriber> slowest = new ArrayList<>();
        while (bytes + needed > most && !held.isEmpty()) {
            Subscriber next = held.keySet().iterator().next();
            release(next);
            slowest.add(next);
        }
        held.put(reader, needed);
        bytes += needed;
        return slowest;
    }

    /** Releases the memory of a reader's page, if it holds one. */
    synchronized void release(Subscriber reader) {
        Long had = held.remove(reader);
        bytes -= had == null ? 0 : had;
    }
}
