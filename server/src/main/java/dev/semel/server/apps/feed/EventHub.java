package dev.semel.server.apps.feed;

import static dev.semel.server.apps.feed.FeedCollections.EVENTS;

import dev.semel.document.DocumentCollection.Page;
import dev.semel.document.Transactions;
import dev.semel.http.Problem;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.ProblemException;
import dev.semel.server.web.Request;
import dev.semel.server.web.StreamingResponse;
import dev.semel.store.Document;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.spi.OrderedStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends events of the feed to all readers on this server. A single thread reads new events from the store, once for all readers: when the
 * store notifies it, and every second in case a notification was lost. Each reader receives events as fast as it reads, and none delays
 * another.
 *
 * <p>The {@code Last-Event-ID} of a reader is the key of a stored event, so an expired or unknown one is detected. If the feed has no
 * recent event, a mark is stored for new readers to start from.
 */
final class EventHub {

    private static final int PAGE = 500;
    private static final int STEP = 32; // an event may be as large as a request body
    private static final int PAGE_BYTES = 256 << 10;
    private static final int EVENT_BYTES = 200; // memory of an event in addition to its text
    private static final int LOADERS = 4;
    private static final int SHARE_OF_USER = 4; // a user may open a quarter of all streams
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final Duration IDLE = Duration.ofHours(1); // while there are no readers
    private static final int RETRY_MILLIS = 1000;
    private static final Logger LOG = LoggerFactory.getLogger(EventHub.class);

    private final Transactions transactions;
    private final OrderedStore store;
    private final Time time;
    private final int most;
    private final Set<Subscriber> subscribers = ConcurrentHashMap.newKeySet();
    private final PageBudget pages;
    private final ThreadPoolExecutor loaders;
    private Runnable unwatch = () -> {};
    private boolean running;
    private volatile boolean closed;
    private volatile @Nullable Tail tail; // null while there are no readers
    private volatile CompletableFuture<Void> news = new CompletableFuture<>();

    /**
     * Creates a hub without readers.
     *
     * @param most the maximum number of readers
     * @param heldBytes the maximum size of all pages that are held for readers that are behind
     */
    EventHub(OrderedStore store, Transactions transactions, Time time, int most, long heldBytes) {
        this.transactions = transactions;
        this.store = store;
        this.time = time;
        this.most = most;
        this.pages = new PageBudget(heldBytes);
        this.loaders = new ThreadPoolExecutor(
                LOADERS, LOADERS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), EventHub::daemon);
        loaders.allowCoreThreadTimeOut(true);
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "semel-events");
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Returns a stream that starts after the {@code Last-Event-ID}, or now. It contains every event that is committed after this returns.
     */
    ApiResponse subscribe(Request request) {
        if (closed || subscribers.size() >= most) {
            throw new ProblemException(Problem.of(503, "busy", "Too busy")
                    .detailed("There are too many readers, or the server is stopping")
                    .with(Problem.RETRY_AFTER, RETRY_MILLIS));
        }
        if (isAtLimit(request.user())) {
            throw new ProblemException(Problem.of(429, "too_many_readers", "Too many readers")
                    .detailed("A user may open " + mostOfUser() + " event streams")
                    .with(Problem.RETRY_AFTER, RETRY_MILLIS));
        }
        Optional<String> lastId = request.header("Last-Event-ID").filter(id -> !id.isEmpty());
        Optional<Document> known = lastId.flatMap(this::known);
        Document from = known.orElseGet(this::newest);
        String greeting = "retry: " + RETRY_MILLIS + "\nid: " + from.key() + "\n";
        if (lastId.isPresent() && known.isEmpty()) {
            greeting += "event: reset\ndata: {\"type\":\"reset\"}\n";
        }
        return ApiResponse.events(new Subscriber(this, time, request.user(), from.sequence(), greeting + "\n"));
    }

    /** Returns the maximum number of streams of one user: a quarter of all, or all if only a few are allowed. */
    private int mostOfUser() {
        return most <= SHARE_OF_USER ? most : most / SHARE_OF_USER;
    }

    private boolean isAtLimit(String user) {
        return subscribers.stream().filter(each -> each.user().equals(user)).count() >= mostOfUser();
    }

    /** Returns the event with an id, if it and all later events are still stored. */
    private Optional<Document> known(String id) {
        Instant oldest = store.clock().instant().minus(FeedEvent.RESUMABLE);
        return EVENTS.key().isValid(id)
                ? EVENTS.read(store, id).filter(event -> event.createdAt().isAfter(oldest))
                : Optional.empty();
    }

    /** Returns an event that readers can resume after for at least half of the time that events are kept. Creates one if necessary. */
    private Document newest() {
        Instant oldest = store.clock().instant().minus(FeedEvent.RESUMABLE.dividedBy(2));
        return newestIfAny().filter(event -> event.createdAt().isAfter(oldest)).orElseGet(() -> {
            transactions.run(FeedEvent::mark);
            return newestIfAny().orElseThrow();
        });
    }

    private Optional<Document> newestIfAny() {
        return EVENTS.newest(store, Map.of(), null, 1).items().stream().findFirst();
    }

    /** Adds a reader. Returns false if the hub is closed or a limit has been reached in the meantime. */
    synchronized boolean add(Subscriber subscriber) {
        if (closed || subscribers.size() >= most || isAtLimit(subscriber.user())) {
            return false;
        }
        subscribers.add(subscriber);
        if (!running) {
            running = true;
            unwatch = store.watch(() -> news.complete(null));
            Time.threads().execute(this::run);
        }
        if (tail == null) {
            news.complete(null);
        }
        return true;
    }

    void remove(Subscriber subscriber) {
        subscribers.remove(subscriber);
        pages.release(subscriber);
    }

    /** Releases the memory of a page that the reader has sent. */
    void release(Subscriber subscriber) {
        pages.release(subscriber);
    }

    /** Returns the latest events; null if none have been read since readers were connected. */
    @Nullable Tail tail() {
        return tail;
    }

    private void run() {
        try {
            while (!closed) {
                CompletableFuture<Void> next = new CompletableFuture<>();
                news = next;
                boolean more = !isIdle() && readNew();
                if (!more && !closed) {
                    time.await(next, subscribers.isEmpty() ? IDLE : POLL);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            ended();
        }
    }

    /** The next reader starts the thread again. */
    private synchronized void ended() {
        running = false;
        unwatch.run();
    }

    /** Drops the tail while there are no readers, because it is not extended then. */
    private synchronized boolean isIdle() {
        if (subscribers.isEmpty()) {
            tail = null;
        }
        return subscribers.isEmpty();
    }

    /** Reads new events and wakes all readers. Returns true if there may be more. */
    private boolean readNew() {
        boolean more = false;
        try {
            Tail known = tail;
            if (known == null) {
                known = new Tail(newestIfAny().map(Document::sequence).orElse(0L));
                tail = known;
            }
            Page page = EVENTS.oldest(store, Map.of(), EVENTS.cursorAfter(Map.of(), known.end()), PAGE);
            for (Document stored : page.items()) {
                known.add(FeedEvent.of(stored));
            }
            more = page.next().isPresent();
        } catch (StoreException e) {
            LOG.atDebug().addKeyValue("error", e.getMessage()).log("Store unavailable; reading new events is retried");
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("Failed to read new events");
        }
        Tail known = tail;
        for (Subscriber subscriber : subscribers) {
            if (known != null) {
                subscriber.dropIfLost(known);
            }
            subscriber.wake();
        }
        return more;
    }

    /** Verifies the token of a reader in the background, and ends the stream if it is invalid. */
    void checkSoon(StreamingResponse flow) {
        try {
            loaders.execute(flow::endIfRejected);
        } catch (RejectedExecutionException e) {
            flow.end(); // the hub is closed
        }
    }

    /** Reads a page for a reader that is behind. If this fails, the reader requests it again when it is woken. */
    void load(Subscriber subscriber, long sequence) {
        try {
            loaders.execute(() -> {
                try {
                    handOver(read(sequence), subscriber);
                    subscriber.wake();
                } catch (RuntimeException e) {
                    LOG.atDebug()
                            .addKeyValue("error", e.getMessage())
                            .log("Failed to read old events; retried on the next wake-up");
                    subscriber.take(new Subscriber.Loaded(List.of(), 0));
                }
            });
        } catch (RejectedExecutionException e) {
            subscriber.end(); // the hub is closed
        }
    }

    private void handOver(Subscriber.Loaded loaded, Subscriber subscriber) {
        long bytes = 0;
        for (FeedEvent event : loaded.events()) {
            bytes += event.bytes() + EVENT_BYTES;
        }
        pages.take(subscriber, bytes).forEach(Subscriber::end);
        subscriber.take(loaded);
        if (!subscribers.contains(subscriber)) {
            pages.release(subscriber); // it has ended in the meantime
        }
    }

    private Subscriber.Loaded read(long sequence) {
        Tail known = tail;
        long end = known == null ? 0 : known.end(); // read before the page, so the page covers all events up to it
        List<FeedEvent> events = new ArrayList<>();
        long last = sequence;
        int bytes = 0;
        while (events.size() < PAGE) {
            Page step = EVENTS.oldest(store, Map.of(), EVENTS.cursorAfter(Map.of(), last), STEP);
            for (Document stored : step.items()) {
                if (bytes >= PAGE_BYTES) {
                    return new Subscriber.Loaded(events, 0);
                }
                FeedEvent event = FeedEvent.of(stored);
                events.add(event);
                bytes += event.bytes();
                last = event.sequence();
            }
            if (step.next().isEmpty()) {
                return new Subscriber.Loaded(events, end);
            }
        }
        return new Subscriber.Loaded(events, 0);
    }

    /** Ends all streams and the background threads. */
    void close() {
        synchronized (this) {
            closed = true;
        }
        subscribers.forEach(Subscriber::end);
        loaders.shutdownNow();
        news.complete(null);
    }
}
