package dev.semel.server.outbox;

import dev.semel.store.Document;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.Commit.DocumentWrite.Put;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.OrderedStore;
import dev.semel.testkit.ForwardingStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A shared store with a clock that runs faster than its own one. What is written expires after as many seconds of the faster clock. */
final class OnClock extends ForwardingStore {

    private final InstantSource clock;
    private final double speed;

    OnClock(OrderedStore store, InstantSource clock, double speed) {
        super(store);
        this.clock = clock;
        this.speed = speed;
    }

    @Override
    public InstantSource clock() {
        return clock;
    }

    @Override
    public CommitResult commit(Commit commit) {
        return super.commit(new Commit(
                commit.id(),
                commit.idempotencyWrite(),
                commit.preconditions(),
                commit.writes().stream().map(this::scaled).toList(),
                commit.notifiesWatchers()));
    }

    private DocumentWrite scaled(DocumentWrite write) {
        if (!(write instanceof Put put) || put.document().expiresAt() == null) {
            return write;
        }
        Document document = put.document();
        Duration life = Duration.between(clock.instant(), document.expiresAt());
        Instant expiresAt = store.clock().instant().plusNanos((long) (life.toNanos() / speed));
        return new Put(
                new Document(
                        document.id(),
                        document.version(),
                        document.createdAt(),
                        document.updatedAt(),
                        expiresAt,
                        document.data(),
                        document.commitId(),
                        document.sequence()),
                put.indexEntries());
    }
}
