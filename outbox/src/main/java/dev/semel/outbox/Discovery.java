package dev.semel.outbox;

import dev.semel.outbox.EntryStore.Queued;
import dev.semel.outbox.LaneRun.Next;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.spi.OrderedStore;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds the lanes that have entries: at the start, when another process has added some, and from time to time in case a notification was lost.
 * A search reads the first entry of each lane, not the whole queue. Searches run one at a time, and rest in between for longer than they take.
 */
final class Discovery implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Discovery.class.getName());

    private static final Duration BETWEEN_SEARCHES = Duration.ofSeconds(30);
    private static final Duration SHORTEST_REST = Duration.ofMillis(20);
    private static final int RESTS = 4;
    private static final Duration NO_ROOM = Duration.ofMillis(20);
    private static final Duration STORE_FAILED = Duration.ofSeconds(2);
    private static final Duration DROPPED = Duration.ofSeconds(1);
    private static final int MOST_ENTRIES = 128;

    private final EntryStore entries;
    private final Lanes lanes;
    private final LaneRun laneRun;
    private final Time time;
    private final Runnable unwatch;
    private boolean searching; // guarded by this, as are all below
    private boolean wanted;
    private boolean scheduled;
    private boolean closed;
    private Runnable cancelPoll = () -> {};

    Discovery(EntryStore entries, Lanes lanes, LaneRun laneRun, Time time) {
        this.entries = entries;
        this.lanes = lanes;
        this.laneRun = laneRun;
        this.time = time;
        this.unwatch = entries.store() instanceof OrderedStore ordered ? ordered.watch(this::search) : () -> {};
        poll();
    }

    private synchronized void poll() {
        if (!closed && !entries.store().isExclusive()) {
            long millis = BETWEEN_SEARCHES.toMillis();
            long pause = millis - ThreadLocalRandom.current().nextLong(millis / 4);
            cancelPoll = time.after(Duration.ofMillis(pause), () -> {
                search();
                poll();
            });
        }
    }

    /** Starts a search; if one is in progress, another one follows. Returns at once. */
    synchronized void search() {
        if (closed) {
            return;
        }
        if (wanted) {
            return;
        }
        lanes.searchStarts();
        if (searching) {
            wanted = true;
        } else {
            start();
        }
    }

    /** Starts a search soon, because lanes were dropped. */
    synchronized void searchLater() {
        if (!closed && !scheduled) {
            scheduled = true;
            Runnable unused = time.after(DROPPED, () -> {
                synchronized (this) {
                    scheduled = false;
                }
                search();
            });
        }
    }

    private void start() {
        searching = true;
        try {
            Time.threads().execute(() -> search("", time.nanoTime()));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            continueAfter("", time.nanoTime(), NO_ROOM);
        }
    }

    /**
     * Searches on.
     *
     * @param after the lane after which to continue
     * @param started when the search started, without its pauses
     */
    private void search(String after, long started) {
        String last = after;
        int limit = 1;
        try {
            while (lanes.hasRoom()) {
                List<Queued> found = isClosed() ? List.of() : entries.lanesAfter(last, limit);
                if (found.isEmpty()) {
                    ended(Duration.ofNanos(time.nanoTime() - started));
                    return;
                }
                int count = 0;
                for (Queued queued : found) {
                    if (!queued.lane().equals(last)) {
                        last = queued.lane();
                        count++;
                        offer(queued);
                    }
                }
                // few entries per lane: read many at once; many per lane: read the first only
                limit = count * 2 > found.size() ? Math.min(limit * 2, MOST_ENTRIES) : 1;
            }
            continueAfter(last, started, NO_ROOM);
        } catch (StoreException e) {
            LOG.log(Level.WARNING, "The lanes of an outbox cannot be read: {0}", e.getMessage());
            continueAfter(last, started, STORE_FAILED);
        } catch (RuntimeException | Error e) {
            LOG.log(Level.ERROR, "The lanes of an outbox cannot be read", e);
            continueAfter(last, started, STORE_FAILED);
        }
    }

    private void continueAfter(String last, long started, Duration pause) {
        long searched = time.nanoTime() - started;
        Runnable unused = time.after(pause, () -> search(last, time.nanoTime() - searched));
    }

    private void offer(Queued first) {
        Next next = laneRun.next(first);
        if (next.equals(Next.SOON) || !first.isReadable()) {
            lanes.offer(first.lane());
        } else if (next.kind() == Next.Kind.RUN) {
            lanes.offerLater(first.lane(), next.pause());
        }
    }

    private void ended(Duration took) {
        Duration rest = took.multipliedBy(RESTS);
        Runnable unused = time.after(rest.compareTo(SHORTEST_REST) > 0 ? rest : SHORTEST_REST, this::rested);
        lanes.searchEnds();
    }

    private void rested() {
        synchronized (this) {
            searching = false;
            if (wanted) {
                wanted = false;
                start();
            }
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            cancelPoll.run();
        }
        unwatch.run();
    }
}
