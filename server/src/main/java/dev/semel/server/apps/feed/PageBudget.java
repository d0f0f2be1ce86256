package dev.semel.server.apps.feed;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Room for the pages that readers hold who are behind, for all of them together. Who needs more than is left gets it from those who
 * have held theirs longest, as they are the slowest.
 */
final class PageBudget {

    private final long most;
    private final Map<Subscriber, Long> held = new LinkedHashMap<>(); // the longest held first
    private long bytes;

    /** @param most how many bytes; a single page finds room all the same */
    PageBudget(long most) {
        this.most = most;
    }

    /** Takes room for a reader that has none, and returns those who have lost theirs, and have to be ended. */
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

    /** Gives back what a reader has, if it has something. */
    synchronized void release(Subscriber reader) {
        Long had = held.remove(reader);
        bytes -= had == null ? 0 : had;
    }
}
