package dev.semel.server.apps.feed;

import org.jspecify.annotations.Nullable;

/**
 * The latest events in order, for readers that have caught up. It is a linked list: one thread appends, and each reader follows it
 * independently. Its size is bounded. A dropped link still leads to later ones, so a reader that holds on to one prevents them from being
 * freed.
 */
final class Tail {

    private static final int MOST_EVENTS = 1 << 14;
    private static final long MOST_BYTES = 16 << 20;

    private volatile Link first;
    private volatile Link last;

    /** An event in the list, or its start. */
    static final class Link {
        private final @Nullable FeedEvent event;
        private final long sequence;
        private final long events; // including this one, since the start of the list
        private final long bytes;
        private volatile @Nullable Link next;

        private Link(@Nullable FeedEvent event, long sequence, long events, long bytes) {
            this.event = event;
            this.sequence = sequence;
            this.events = events;
            this.bytes = bytes;
        }

        /** Returns the next link; null if there is none yet. */
        @Nullable Link next() {
            return next;
        }

        /** Returns the event; null for the start of the list. */
        @Nullable FeedEvent event() {
            return event;
        }
    }

    /** Creates a list of all events after a sequence number. */
    Tail(long sequence) {
        first = new Link(null, sequence, 0, 0);
        last = first;
    }

    /** Appends an event. Called by one thread only. */
    void add(FeedEvent event) {
        Link before = last;
        Link link = new Link(event, event.sequence(), before.events + 1, before.bytes + event.bytes());
        before.next = link;
        last = link;
        Link kept = first;
        while (link.events - kept.events > MOST_EVENTS || link.bytes - kept.bytes > MOST_BYTES) {
            Link behind = kept.next;
            if (behind == null || behind == link) {
                break;
            }
            kept = behind;
        }
        first = kept;
    }

    /** Returns the sequence number of the last event. */
    long end() {
        return last.sequence;
    }

    /**
     * Returns a link after which all events with higher sequence numbers follow, possibly preceded by others; null if some of them were
     * dropped.
     */
    @Nullable Link find(long sequence) {
        Link link = first;
        if (sequence < link.sequence) {
            return null;
        }
        for (Link next = link.next; next != null && next.sequence <= sequence; next = next.next) {
            link = next;
        }
        return link;
    }

    /** Whether the link was dropped from the list. */
    boolean hasLost(Link link) {
        return link.sequence < first.sequence;
    }
}
