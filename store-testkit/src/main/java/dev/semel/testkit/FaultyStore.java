package dev.semel.testkit;

import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.Quota;
import dev.semel.store.StoreException;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.DocumentStore.Scan;
import dev.semel.store.spi.OnceStore;
import dev.semel.store.spi.OnceStore.Lookup;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Injects faults into the calls to another store: calls fail before they reach it, responses of commits are lost, or calls are slow.
 * Under all of these faults no effect may be lost and no operation may run twice.
 */
public final class FaultyStore extends ForwardingStore {

    private static final long LONGEST_DELAY_NANOS = 20_000;

    private final AtomicInteger failBefore = new AtomicInteger();
    private final AtomicInteger failAfter = new AtomicInteger();
    private final AtomicInteger commits = new AtomicInteger();
    private final AtomicLong calls = new AtomicLong();
    private volatile boolean down;
    private volatile double odds;
    private volatile long seed;
    private volatile Runnable beforeCommit = () -> {};

    public FaultyStore(OnceStore store) {
        super(store);
    }

    /** Makes the next commits fail without being applied. */
    public void failBefore(int commits) {
        failBefore.set(commits);
    }

    /** Makes the next commits throw after they are applied. */
    public void loseResponses(int commits) {
        failAfter.set(commits);
    }

    /** Makes every call fail without being applied, until {@link #comeUp}. */
    public void goDown() {
        down = true;
    }

    /** Ends an outage that {@link #goDown} started. */
    public void comeUp() {
        down = false;
    }

    /**
     * Makes calls fail at random from now on: each call with the given odds before it is applied, each commit with the same odds after
     * it is applied. Some calls are slow. The same seed injects the same faults into the same sequence of calls.
     */
    public void failAtRandom(long seed, double odds) {
        this.seed = seed;
        this.odds = odds;
    }

    /** Sets an action that runs before each commit, as a concurrent caller would. */
    public void beforeCommit(Runnable others) {
        beforeCommit = others;
    }

    /** Returns the number of commits that were requested. */
    public int commits() {
        return commits.get();
    }

    private SplittableRandom chance() {
        return new SplittableRandom(seed + calls.getAndIncrement());
    }

    private void before() {
        if (down) {
            throw StoreException.unavailable("down", null);
        }
        if (odds > 0) {
            SplittableRandom chance = chance();
            if (chance.nextDouble() < odds) {
                LockSupport.parkNanos(chance.nextLong(LONGEST_DELAY_NANOS));
            }
            if (chance.nextDouble() < odds) {
                throw StoreException.unavailable("failed before", null);
            }
        }
    }

    @Override
    public CommitResult commit(Commit commit) {
        commits.incrementAndGet();
        beforeCommit.run();
        before();
        if (failBefore.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw StoreException.unavailable("failed before", null);
        }
        CommitResult result = super.commit(commit);
        boolean lost =
                failAfter.getAndUpdate(left -> Math.max(0, left - 1)) > 0 || (odds > 0 && chance().nextDouble() < odds);
        if (lost) {
            throw StoreException.unavailable("response lost", null);
        }
        return result;
    }

    @Override
    public Lookup find(IdempotencyKey key, Quota quota) {
        before();
        return super.find(key, quota);
    }

    @Override
    public Optional<Document> read(DocumentId id) {
        before();
        return super.read(id);
    }

    @Override
    public List<Document> scan(Scan scan) {
        before();
        return super.scan(scan);
    }
}
