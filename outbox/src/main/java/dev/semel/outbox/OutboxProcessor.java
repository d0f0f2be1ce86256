package dev.semel.outbox;

import dev.semel.document.Transactions.WriteConflictException;
import dev.semel.outbox.LaneRun.Next;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.admin.AdminStore;
import dev.semel.store.admin.Sweeper;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Sends the entries of an outbox to an API. The entries of a lane are sent in order, one at a time; several lanes are sent at the same time.
 * Each entry is sent with the same idempotency key until the API confirms it, so it takes effect once.
 *
 * <pre>{@code
 * OutboxProcessor processor = OutboxProcessor.builder(outbox, URI.create("https://api.example.com"))
 *         .token(rejected -> login())
 *         .start();
 * }</pre>
 *
 * <p>The processor works in background threads, virtual ones where the JVM has them, and uses none while there is nothing to send. It starts to
 * send when an entry is added, by any process, when a retry is due, and when it is notified that the network is back. If several processors send
 * the entries of one outbox, in one process or in several, they share the lanes. Thread-safe.
 */
public final class OutboxProcessor implements AutoCloseable {

    /** How many lanes are sent at the same time, unless another number is chosen. */
    public static final int DEFAULT_PARALLEL = 16;

    private static final System.Logger LOG = System.getLogger(OutboxProcessor.class.getName());

    /** How long {@link #close} waits for the attempts in progress. */
    private static final Duration CLOSING = Duration.ofSeconds(10);

    private static final Duration BETWEEN_SWEEPS = Duration.ofHours(6);
    private static final Duration STORE_FAILED = Duration.ofSeconds(2);

    private final EntryStore entries;
    private final Time time;
    private final Claims claims;
    private final LaneRun laneRun;
    private final Lanes lanes;
    private final Discovery discovery;
    private final Runnable unhook;
    private final @Nullable Sweeper sweeper;
    private final Object closing = new Object();
    private volatile boolean stopped;

    private OutboxProcessor(
            Outbox outbox, ProcessorSettings settings, OutboxListener listener, Time time, RandomGenerator random) {
        this.entries = outbox.entries();
        this.time = time;
        Transport transport = new Transport(
                settings.api(), settings.timeout(), entries.store().clock());
        Attempts attempts = new Attempts(
                settings,
                transport,
                new Tokens(settings.tokens(), settings.timeout()),
                new KeyLife(entries, settings.keyLife(), settings.tombstoneLife()),
                new Backoff(random),
                entries.store().clock(),
                listener);
        this.claims = new Claims(entries, time);
        this.laneRun = new LaneRun(entries, claims, attempts, listener, time);
        this.lanes = new Lanes(settings.parallel(), time, this::run, this::dropped);
        this.unhook = entries.hooks().add(lanes::offer);
        this.discovery = new Discovery(entries, lanes, laneRun, time);
        this.sweeper = sweeper();
        discovery.search();
    }

    /** Deletes confirmed entries when they have expired. Any number of processes may sweep a store. */
    private @Nullable Sweeper sweeper() {
        if (entries.store() instanceof AdminStore store) {
            Sweeper started = new Sweeper(store.admin(), time);
            started.every(
                    BETWEEN_SWEEPS, e -> LOG.log(Level.WARNING, "An outbox cannot be cleaned: {0}", e.getMessage()));
            return started;
        }
        return null;
    }

    /**
     * Returns a builder of a processor.
     *
     * @param api the address of the API, such as {@code https://api.example.com}. Endpoints of entries are resolved against it, so it has no
     *     path: an endpoint is the whole path
     * @throws IllegalArgumentException if it is not an http or https URL, or if it has a user, a path, a query or a fragment
     */
    public static Builder builder(Outbox outbox, URI api) {
        return new Builder(outbox, api);
    }

    /** The settings of a processor, all of which have defaults. */
    public static final class Builder {

        private final Outbox outbox;
        private final URI api;
        private final List<OutboxListener> listeners = new ArrayList<>();
        private Time time = Time.system();
        private RandomGenerator random = new SecureRandom();
        private @Nullable TokenSupplier tokens;
        private int parallel = DEFAULT_PARALLEL;
        private Duration timeout = Duration.ofSeconds(30);
        private Proof proof = Proof.SEMEL;
        private Duration keyLife = Duration.ofHours(24);
        private Duration tombstoneLife = Duration.ofDays(30);
        private boolean canAsk = true;
        private IfExpired ifExpired = IfExpired.FAIL;
        private @Nullable Integer giveUpAttempts;
        private @Nullable Duration giveUpAge;

        private Builder(Outbox outbox, URI api) {
            boolean isHttp = "http".equalsIgnoreCase(api.getScheme()) || "https".equalsIgnoreCase(api.getScheme());
            if (!isHttp || api.getHost() == null || api.getRawUserInfo() != null || !isBare(api)) {
                throw new IllegalArgumentException(
                        "The address of the API must be an http or https URL without user and path, such as https://api.example.com, not '"
                                + api + "'");
            }
            this.outbox = outbox;
            this.api = api;
        }

        /** A path would be dropped when endpoints, which begin with a slash, are resolved against it. */
        private static boolean isBare(URI api) {
            String path = api.getRawPath();
            return (path == null || path.isEmpty() || path.equals("/"))
                    && api.getRawQuery() == null
                    && api.getRawFragment() == null;
        }

        /** Sends each request with a bearer token. The supplier is asked again when the API rejects one. */
        public Builder token(TokenSupplier tokens) {
            this.tokens = tokens;
            return this;
        }

        /**
         * Sets how many lanes are sent at the same time; {@value #DEFAULT_PARALLEL} by default.
         *
         * @throws IllegalArgumentException if it is not 1 to 1000
         */
        public Builder parallel(int lanes) {
            if (lanes < 1 || lanes > 1000) {
                throw new IllegalArgumentException("1 to 1000 lanes can be sent at the same time, not " + lanes);
            }
            this.parallel = lanes;
            return this;
        }

        /** Sets the time after which an attempt without a complete response has failed; 30 seconds by default. */
        public Builder timeout(Duration timeout) {
            this.timeout = positive("timeout", timeout);
            return this;
        }

        /** Sets how responses prove that they come from the API; {@link Proof#SEMEL} by default. */
        public Builder proof(Proof proof) {
            this.proof = proof;
            return this;
        }

        /**
         * Sets how long the API keeps keys; 24 hours by default. It applies until a response with {@code Idempotency-Expires} shows it. An entry
         * that was first sent longer ago is not sent again before the API was asked what became of it.
         */
        public Builder keyLife(Duration keyLife) {
            this.keyLife = positive("life of keys", keyLife);
            return this;
        }

        /** Sets how long the API knows of a key after its life has ended; 30 days by default. */
        public Builder tombstoneLife(Duration tombstoneLife) {
            if (tombstoneLife.isNegative()) {
                throw new IllegalArgumentException("The life of tombstones cannot be " + tombstoneLife);
            }
            this.tombstoneLife = Outbox.bounded(tombstoneLife);
            return this;
        }

        /**
         * Declares that the API does not have {@code GET /v1/idempotency/{key}}. {@link #ifExpired} then decides about entries that were first sent
         * longer ago than the API keeps keys.
         */
        public Builder cannotAsk() {
            this.canAsk = false;
            return this;
        }

        /** Sets what happens to entries whose outcome nobody knows any more; by default they fail. */
        public Builder ifExpired(IfExpired ifExpired) {
            this.ifExpired = ifExpired;
            return this;
        }

        /**
         * Lets an entry fail after so many attempts. By default there is no limit.
         *
         * @throws IllegalArgumentException if it is below 1
         */
        public Builder giveUpAfter(int attempts) {
            if (attempts < 1) {
                throw new IllegalArgumentException("An entry has at least 1 attempt, not " + attempts);
            }
            this.giveUpAttempts = attempts;
            return this;
        }

        /** Lets an entry fail if it is older than this when it is due. By default there is no limit. */
        public Builder giveUpAfter(Duration age) {
            this.giveUpAge = positive("age", age);
            return this;
        }

        /** Adds a listener, which is notified of each attempt. */
        public Builder listener(OutboxListener listener) {
            listeners.add(listener);
            return this;
        }

        /** Sets the timer and the source of random backoffs, for tests. */
        Builder time(Time time, RandomGenerator random) {
            this.time = time;
            this.random = random;
            return this;
        }

        private static Duration positive(String what, Duration duration) {
            if (duration.isNegative() || duration.isZero()) {
                throw new IllegalArgumentException("The " + what + " must be positive, not " + duration);
            }
            return Outbox.bounded(duration);
        }

        /**
         * Starts to send.
         *
         * @throws StoreException if the store cannot be read
         */
        public OutboxProcessor start() {
            ProcessorSettings settings = new ProcessorSettings(
                    api,
                    tokens,
                    parallel,
                    timeout,
                    proof,
                    keyLife,
                    tombstoneLife,
                    canAsk,
                    ifExpired,
                    giveUpAttempts,
                    giveUpAge);
            return new OutboxProcessor(outbox, settings, OutboxListener.all(listeners), time, random);
        }
    }

    private Next run(String lane) {
        try {
            return laneRun.run(lane, lanes::othersWait, () -> stopped);
        } catch (StoreException | WriteConflictException e) {
            LOG.log(Level.WARNING, "The store of an outbox has failed: {0}", e.getMessage());
        } catch (Throwable e) { // whatever the application throws, the lane must go on
            LOG.log(Level.ERROR, "An outbox has failed to send", e);
        }
        return Next.after(STORE_FAILED);
    }

    private void dropped() {
        discovery.searchLater();
    }

    Lanes lanes() {
        return lanes;
    }

    /** Notifies the processor that there is a network again: entries that failed for want of it are sent at once. */
    public void networkAvailable() {
        laneRun.networkIsBack();
        lanes.offerWaiting();
        discovery.search();
    }

    /**
     * Waits until nothing is left to send, by this or another processor: the outbox has no entries, or only failed ones and those behind them.
     *
     * @return false if the time is up before that, or if the processor is closed
     */
    public boolean awaitEmpty(Duration atMost) throws InterruptedException {
        discovery.search();
        CompletableFuture<@Nullable Void> empty = lanes.whenIdle();
        time.await(empty, atMost);
        return empty.isDone() && !stopped;
    }

    /**
     * Stops to send. Attempts in progress have ten seconds to end. An entry whose attempt is cut off remains in the outbox, and is sent again with
     * the same key when there is a processor.
     */
    @Override
    public void close() {
        synchronized (closing) {
            if (stopped) {
                return;
            }
            stopped = true;
        }
        unhook.run();
        discovery.close();
        if (sweeper != null) {
            sweeper.close();
        }
        lanes.stop();
        boolean interrupted = false;
        for (boolean cutOff : new boolean[] {false, true}) {
            if (cutOff) {
                lanes.interrupt();
            }
            try {
                Time.system().await(lanes.whenIdle(), CLOSING);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        try {
            claims.close();
        } catch (StoreException e) {
            LOG.log(Level.DEBUG, "The lease of an outbox''s sender expires by itself: {0}", e.getMessage());
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
