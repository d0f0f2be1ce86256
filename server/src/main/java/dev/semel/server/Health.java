package dev.semel.server;

import dev.semel.http.EdgeProblem;
import dev.semel.http.Problem;
import dev.semel.server.web.Answer;
import dev.semel.server.web.App;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.Refusal;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import dev.semel.store.OnceKey;
import dev.semel.store.Quota;
import dev.semel.store.Store;
import dev.semel.store.StoreException;
import dev.semel.store.Threads;
import dev.semel.store.Time;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether the server runs, and whether it can do anything. */
final class Health implements App {

    private static final OnceKey NOBODYS = new OnceKey("health", "GET /health/ready", "none");

    private static final String REASON = "reason";
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Logger LOG = LoggerFactory.getLogger(Health.class);

    private static final long LONG_NANOS = Duration.ofSeconds(10).toNanos();

    private final Store store;
    private final Time time;
    private final WriteProbe writes;
    private final AtomicReference<@Nullable Long> lookingSince = new AtomicReference<>();
    private final AtomicLong looks = new AtomicLong();
    private long latestLook;
    private volatile boolean wasFine = true; // or else the store could not have been opened
    private volatile boolean stopping;

    Health(Store store, Time time) {
        this.store = store;
        this.time = time;
        this.writes = new WriteProbe(store, time);
    }

    /** A request could not be served: whether the store can be written is looked at when somebody asks next. */
    void doubt() {
        writes.doubt();
    }

    void stopping() {
        stopping = true;
    }

    @Override
    public void declare(Routes routes) {
        routes.getOpen("/health/live", request -> up());
        routes.getOpen("/health/ready", this::ready);
    }

    private Answer ready(Request request) {
        if (stopping) {
            throw new Refusal(stoppingProblem());
        }
        try {
            look();
        } catch (StoreException e) {
            LOG.atWarn().addKeyValue("error", e.getMessage()).log("Not ready");
            StoreFault fault = StoreFault.of(e);
            throw new Refusal(EdgeProblem.STORE_UNAVAILABLE
                    .retryAfter(PAUSE)
                    .detailed(fault.detail())
                    .with(REASON, fault.reason()));
        }
        return up();
    }

    private void look() {
        long mine = looks.incrementAndGet();
        boolean fine = false;
        try {
            store.find(NOBODYS, Quota.NONE);
            writes.check();
            fine = true;
        } finally {
            saw(mine, fine);
        }
    }

    /** One that was begun earlier and took longer says nothing new. */
    private synchronized void saw(long look, boolean fine) {
        if (look > latestLook) {
            latestLook = look;
            wasFine = fine;
        }
    }

    /** Whether it was ready a moment ago, for who must not wait for a store that hangs: with each question it is looked at anew. */
    boolean wasReady() {
        Long since = lookingSince.get();
        if (since == null && lookingSince.compareAndSet(null, time.nanoTime())) {
            try {
                Threads.EXECUTOR.execute(this::lookAround);
            } catch (Throwable e) { // no thread can be had
                lookingSince.set(null);
                return false;
            }
        }
        boolean hangs = since != null && time.nanoTime() - since > LONG_NANOS;
        return wasFine && !hangs && !stopping;
    }

    private void lookAround() {
        try {
            look();
        } catch (RuntimeException e) {
            // who asks next is told
        } finally {
            lookingSince.set(null);
        }
    }

    /** What is answered while the server is being stopped. */
    static Problem stoppingProblem() {
        return Problem.of(503, "stopping", "Server stopping")
                .with(REASON, "stopping")
                .with(Problem.RETRY_AFTER, 1000);
    }

    private static Answer up() {
        return Answer.ok(JsonText.object().put("status", "up"));
    }
}
