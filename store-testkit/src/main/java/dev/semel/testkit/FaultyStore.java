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
 * Puts faults in front of any store: calls fail before they reach it, responses of writes are lost, everything fails, or calls are slow.
 * Whatever it does, nothing may be lost and nothing done twice.
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

    /** The next commits fail, and are not applied. */
    public void failBefore(int commits) {
        failBefore.set(commits);
    }

    /** The next commits are applied, but their responses are lost. */
    public void loseResponses(int commits) {
        failAfter.set(commits);
    }

    /** From now on every call fails, and nothing is applied. */
    public void goDown() {
        down = true;
    }

    /** From now on it works again. */
    public void comeUp() {
        down = false;
    }

    /**
     * From now on each call fails before with the given odds, a commit fails after with the same odds, and each is now and then
     * slow. The same seed gives the same faults to the same order of calls.
     */
    public void failAtRandom(long seed, double odds) {
        this.seed = seed;
        this.odds = odds;
    }

    /** What is done before each commit: what others do just then. */
    public void beforeCommit(Runnable others) {
        beforeCommit = others;
    }

    /** How many commits were asked for. */
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
