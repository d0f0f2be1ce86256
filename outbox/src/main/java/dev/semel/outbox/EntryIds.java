package dev.semel.outbox;

import dev.semel.key.KeyRange;
import dev.semel.store.Document;
import dev.semel.store.spi.DocumentStore.Scan;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * Makes ids that follow those of all entries of a lane. The store's clock is not enough: it may have been set back, and the clocks of several
 * processes differ a little. Thread-safe.
 */
final class EntryIds {

    /** Name of the index of lanes. */
    static final String LANES = "lanes";

    /** Two processes that add to a lane whose last id is ahead of their clocks seldom choose the same step. */
    private static final int LONGEST_STEP = 1_000;

    private final String queue;
    private final AtomicLong lastMicros = new AtomicLong();

    /** @param queue the collection of pending and failed entries */
    EntryIds(String queue) {
        this.queue = queue;
    }

    /**
     * How an entry is written. A commit checks that no document has the key, but it does not see a document that a JDBC transaction has created
     * and not committed yet, and would replace it. So the two never use the same id.
     */
    enum Writer {
        /** A commit uses even times. */
        COMMIT(0),

        /** A JDBC transaction uses odd times. */
        JDBC_TRANSACTION(1);

        private final long parity;

        Writer(long parity) {
            this.parity = parity;
        }
    }

    /**
     * Returns an id that follows those of all entries of the lane.
     *
     * @param lane the digest of the lane
     * @param now the store's time
     * @param scan scans the store, as the transaction that adds the entry sees it
     */
    EntryId next(String lane, Instant now, Writer writer, Function<Scan, List<Document>> scan) {
        long clock = EntryId.micros(now);
        EntryId id = EntryId.of(after(Math.max(clock - 1, 0), writer), lane);
        Optional<EntryId> later = tail(id, scan);
        if (later.isEmpty()) {
            return id;
        }
        long step = ThreadLocalRandom.current().nextInt(LONGEST_STEP);
        return EntryId.of(after(later.get().micros() + step, writer), lane);
    }

    /** Returns the first time of a writer that is later than a given time and all times before. */
    private long after(long time, Writer writer) {
        return lastMicros.updateAndGet(last -> {
            long next = Math.max(last, time) + 1;
            return next + ((next ^ writer.parity) & 1);
        });
    }

    /** Returns the last entry of a lane that does not precede an id. Reads only keys above it: the lane may have many deleted ones below. */
    private Optional<EntryId> tail(EntryId from, Function<Scan, List<Document>> scan) {
        KeyRange range = KeyRange.ofPrefix(from.lane() + "-");
        String before = EntryId.of(from.micros() - 1, from.lane()).laneKey();
        if (scan.apply(new Scan(queue, "", LANES, range, before, 1, false)).isEmpty()) {
            return Optional.empty();
        }
        return scan.apply(new Scan(queue, "", LANES, range, "", 1, true)).stream()
                .findFirst()
                .map(document -> EntryId.parse(document.key()));
    }
}
