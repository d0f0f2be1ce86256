package dev.semel.server;

import dev.semel.http.IdempotencyProblem;
import dev.semel.http.Problem;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.App;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.ProblemException;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.spi.DocumentStore;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The health checks: whether the process responds, and whether the server can read and write its store. */
final class Health implements App {

    private static final IdempotencyKey PROBE_KEY = new IdempotencyKey("health", "GET /health/ready", "none");

    private static final String REASON = "reason";
    private static final Duration RETRY_AFTER = Duration.ofSeconds(1);
    private static final Logger LOG = LoggerFactory.getLogger(Health.class);

    private static final long LONG_NANOS = Duration.ofSeconds(10).toNanos();

    private final DocumentStore store;
    private final Time time;
    private final WriteProbe writes;
    private final AtomicReference<@Nullable Long> checkingSince = new AtomicReference<>();
    private final AtomicLong checks = new AtomicLong();
    private long latestCheck;
    private volatile boolean wasFine = true; // the store was just opened
    private volatile boolean stopping;

    Health(DocumentStore store, Time time) {
        this.store = store;
        this.time = time;
        this.writes = new WriteProbe(store, time);
    }

    /** Makes the next check write to the store, because a request failed with 503. */
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

    private ApiResponse ready(Request request) {
        if (stopping) {
            throw new ProblemException(stoppingProblem());
        }
        try {
            check();
        } catch (StoreException e) {
            LOG.atWarn().addKeyValue("error", e.getMessage()).log("Not ready");
            StoreFault fault = StoreFault.of(e);
            throw new ProblemException(IdempotencyProblem.STORE_UNAVAILABLE
                    .retryAfter(RETRY_AFTER)
                    .detailed(fault.detail())
                    .with(REASON, fault.reason()));
        }
        return up();
    }

    private void check() {
        long mine = checks.incrementAndGet();
        boolean fine = false;
        try {
            store.find(PROBE_KEY);
            writes.check();
            fine = true;
        } finally {
            checked(mine, fine);
        }
    }

    /** Records a result, unless a check that started later has already ended. */
    private synchronized void checked(long check, boolean fine) {
        if (check > latestCheck) {
            latestCheck = check;
            wasFine = fine;
        }
    }

    /**
     * Returns the result of the latest check, and starts another one in the background. Never waits for the store. Returns false if a check
     * has been running for more than ten seconds.
     */
    boolean wasReady() {
        Long since = checkingSince.get();
        if (since == null && checkingSince.compareAndSet(null, time.nanoTime())) {
            try {
                Time.threads().execute(this::checkInBackground);
            } catch (Throwable e) { // no thread can be created
                checkingSince.set(null);
                return false;
            }
        }
        boolean hanging = since != null && time.nanoTime() - since > LONG_NANOS;
        return wasFine && !hanging && !stopping;
    }

    private void checkInBackground() {
        try {
            check();
        } catch (RuntimeException e) {
            // the next call of wasReady returns false
        } finally {
            checkingSince.set(null);
        }
    }

    /** Returns the response to every request while the server is stopping. */
    static Problem stoppingProblem() {
        return Problem.of(503, "stopping", "Server stopping")
                .with(REASON, "stopping")
                .with(Problem.RETRY_AFTER, 1000);
    }

    private static ApiResponse up() {
        return ApiResponse.ok(JsonText.object().put("status", "up"));
    }
}
