package dev.semel.server.feed;

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
        private final long place;
        private final long events; // with this one, from the beginning on
        private final long bytes;
        private volatile @Nullable Link next;

        private Link(@Nullable FeedEvent event, long place, long events, long bytes) {
            this.event = event;
            this.place = place;
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

    /** Of all events behind a place. */
    Tail(long place) {
        first = new Link(null, place, 0, 0);
        last = first;
    }

    /** By one thread alone. */
    void add(FeedEvent event) {
        Link before = last;
        Link link = new Link(event, event.place(), before.events + 1, before.bytes + event.bytes());
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

    /** The place of the last event. */
    long end() {
        return last.place;
    }

    /** A link behind which all events behind a place come, and perhaps some before; null if not all of them are there any more. */
    @Nullable Link find(long place) {
        Link link = first;
        if (place < link.place) {
            return null;
        }
        for (Link next = link.next; next != null && next.place <= place; next = next.next) {
            link = next;
        }
        return link;
    }

    /** Whether it has let go of a link. */
    boolean hasLost(Link link) {
        return link.place < first.place;
    }
}
