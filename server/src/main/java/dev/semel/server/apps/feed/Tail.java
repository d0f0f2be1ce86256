package dev.semel.server.apps.feed;

import org.jspecify.annotations.Nullable;

/**
 * The latest events in their order, for all readers that keep up: a chain at whose end one thread adds, and along which each reader
 * goes at its own pace. What it holds is bounded. A link that it has let go of leads on all the same, so it is for the readers
 * not to hold on to one.
 */
final class Tail {

    private static final int MOST_EVENTS = 1 << 14;
    private static final long MOST_BYTES = 16 << 20;

    private volatile Link first;
    private volatile Link last;

    /** An event, or where the chain began. */
    static final class Link {
        private final @Nullable FeedEvent event;
        private final long sequence;
        private final long events; // with this one, from the beginning on
        private final long bytes;
        private volatile @Nullable Link next;

        private Link(@Nullable FeedEvent event, long sequence, long events, long bytes) {
            this.event = event;
            this.sequence = sequence;
            this.events = events;
            this.bytes = bytes;
        }

        /** The one behind it; null if there is none yet. */
        @Nullable Link next() {
            return next;
        }

        /** What it holds; null where the chain began. */
        @Nullable FeedEvent event() {
            return event;
        }
    }

    /** Of all events after a sequence number. */
    Tail(long sequence) {
        first = new Link(null, sequence, 0, 0);
        last = first;
    }

    /** By one thread alone. */
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

    /** The sequence number of the last event. */
    long end() {
        return last.sequence;
    }

    /** A link that is followed by all events after a sequence number, and perhaps some before; null if some of them were dropped. */
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

    /** Whether it has dropped a link. */
    boolean hasLost(Link link) {
        return link.sequence < first.sequence;
    }
}
