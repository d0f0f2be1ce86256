package dev.semel.testkit;

import dev.semel.store.IdempotencyKey;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.OnceStore;
import dev.semel.store.spi.OnceStore.Lookup;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The smallest complete store: idempotency records in a map. */
class MapStore implements OnceStore {

    private final InstantSource clock;
    private final Map<IdempotencyKey, IdempotencyRecord> records = new HashMap<>();

    MapStore(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public InstantSource clock() {
        return clock;
    }

    @Override
    public synchronized Lookup find(IdempotencyKey key) {
        return new Lookup(records.get(indexed(key)), clock.instant());
    }

    @Override
    public synchronized CommitResult compareAndSet(String commitId, IdempotencyWrite write) {
        IdempotencyRecord current = records.get(indexed(write.record().key()));
        if (current != null && isSameCommit(commitId, current)) {
            return new CommitResult.Applied(current);
        }
        if (!isMet(write, current)) {
            return new CommitResult.RecordConflict();
        }
        IdempotencyRecord stamped = stamp(commitId, write, clock.instant());
        records.put(indexed(stamped.key()), stamped);
        return new CommitResult.Applied(stamped);
    }

    @Override
    public void close() {}

    // Broken stores override these.

    IdempotencyKey indexed(IdempotencyKey key) {
        return key;
    }

    boolean isSameCommit(String commitId, IdempotencyRecord current) {
        return current.commitId().equals(commitId);
    }

    boolean isMet(IdempotencyWrite write, @Nullable IdempotencyRecord current) {
        return write.precondition().isMetBy(current);
    }

    IdempotencyRecord stamp(String commitId, IdempotencyWrite write, Instant now) {
        return write.stamp(commitId, now);
    }
}
