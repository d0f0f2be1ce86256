package dev.semel.server.apps.feed;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.semel.server.web.StreamingResponse;
import dev.semel.store.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * A reader of events. It reads pages from the store until it has caught up with the {@link Tail}, and follows the tail after that. It holds
 * at most one page. If it falls behind the tail, or other readers need the memory of its page, the stream is ended and the client may
 * resume.
 */
final class Subscriber implements StreamingResponse.Source {

    private static final byte[] HEARTBEAT = ":\n\n".getBytes(US_ASCII);
    private static final long HEARTBEAT_NANOS = Duration.ofSeconds(15).toNanos();
    private static final long CHECK_NANOS = Duration.ofMinutes(1).toNanos();

    private final EventHub hub;
    private final Time time;
    private final String user;
    private final Queue<FeedEvent> page = new ArrayDeque<>();
    private byte @Nullable [] greeting;
    private @Nullable StreamingResponse flow;
    private long sequence; // all events up to this one were sent
    private long reached; // becomes the sequence when the page was sent
    private long lastSent;
    private long lastChecked;
    private boolean loading;
    private boolean holding; // memory for the page is reserved
    private volatile @Nullable Loaded loaded;
    private volatile Tail.@Nullable Link link;

    /**
     * A page read from the store.
     *
     * @param reached a sequence number up to which the page contains all events; 0 if it is not known
     */
    record Loaded(List<FeedEvent> events, long reached) {}

    /**
     * Creates a reader that has not started.
     *
     * @param user the user who reads
     * @param sequence the commit sequence number to start after
     * @param greeting sent before all events
     */
    Subscriber(EventHub hub, Time time, String user, long sequence, String greeting) {
        this.hub = hub;
        this.time = time;
        this.user = user;
        this.sequence = sequence;
        this.greeting = greeting.getBytes(US_ASCII);
    }

    /** Returns the user who reads. */
    String user() {
        return user;
    }

    @Override
    public void begin(StreamingResponse to) {
        flow = to;
        lastSent = time.nanoTime();
        lastChecked = lastSent;
        if (!hub.add(this)) {
            to.end();
        }
    }

    /** Sends available events. */
    void wake() {
        if (flow != null) {
            flow.wake();
        }
    }

    void end() {
        if (flow != null) {
            flow.end();
        }
    }

    /** Ends the stream if the tail has dropped its position. */
    void dropIfLost(Tail tail) {
        Tail.Link at = link;
        if (at != null && tail.hasLost(at)) {
            link = null;
            end();
        }
    }

    @Override
    public byte @Nullable [] next() {
        if (flow == null || !time.instant().isBefore(flow.until())) {
            end();
            return null;
        }
        long now = time.nanoTime();
        if (now - lastChecked >= CHECK_NANOS) {
            lastChecked = now;
            hub.checkSoon(flow);
        }
        byte[] next = greeting;
        greeting = null;
        if (next == null) {
            next = event();
        }
        if (next == null && now - lastSent >= HEARTBEAT_NANOS) {
            next = HEARTBEAT;
        }
        if (next != null) {
            lastSent = now;
        }
        return next;
    }

    private byte @Nullable [] event() {
        for (FeedEvent event = nextEvent(); event != null; event = nextEvent()) {
            sequence = event.sequence();
            if (!event.isMark()) {
                return event.textFor(user);
            }
        }
        return null;
    }

    private @Nullable FeedEvent nextEvent() {
        FeedEvent read = page.poll();
        if (read != null) {
            return read;
        }
        if (holding) {
            holding = false;
            hub.release(this);
        }
        sequence = Math.max(sequence, reached);
        Loaded arrived = loaded;
        if (arrived != null) {
            loaded = null;
            loading = false;
            holding = true;
            reached = arrived.reached;
            page.addAll(arrived.events);
            return nextEvent();
        }
        return loading ? null : nextOfTail();
    }

    private @Nullable FeedEvent nextOfTail() {
        Tail tail = hub.tail();
        if (tail == null) {
            return null; // the hub wakes it when there is a tail
        }
        Tail.Link at = link == null ? tail.find(sequence) : link;
        if (at == null) {
            loading = true;
            hub.load(this, sequence);
            return null;
        }
        for (Tail.Link next = at.next(); next != null; next = next.next()) {
            at = next;
            FeedEvent event = next.event();
            if (event != null && event.sequence() > sequence) {
                link = at;
                return event;
            }
        }
        link = at;
        return null;
    }

    /** Receives a requested page. */
    void take(Loaded events) {
        loaded = events;
    }

    @Override
    public void ended() {
        link = null;
        page.clear();
        hub.remove(this);
    }
}
