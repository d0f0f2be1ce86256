package dev.semel.rocksdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.admin.StoreAdmin.SweepStep;
import dev.semel.store.internal.GroupCommit;
import dev.semel.store.internal.RowLocks;
import dev.semel.store.spi.IdempotencyRecord;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Snapshot;

/**
 * Deletes expired data, a few rows at a time. It reads each row again under its lock before it deletes it, since a call may have started the
 * key again. RocksDB keeps the space of deleted rows until it compacts the tables that contain them, which may never happen. So the sweep
 * starts a compaction when a family has half as many deleted rows as live ones.
 */
final class Sweep {

    /** The most rows per call in the next group. A call writes about as many itself, so it does not become noticeably slower. */
    private static final int ROWS_WITH_A_CALL = 3;

    /** The most rows that are deleted, and locked, at a time. */
    private static final int ROWS_AT_A_TIME = 20;

    /** The most rows that are examined in one step. */
    private static final int LOOKS_AT_A_TIME = 100;

    /** How long entries of the commit log are kept, to resolve lost responses. */
    private static final long COMMIT_LOG_SECONDS = 600;

    private static final List<String> TABLES =
            List.of(StoreAdmin.KEYS, StoreAdmin.TOMBSTONES, StoreAdmin.DOCUMENTS, StoreAdmin.COMMIT_LOG);

    /** A family with fewer deleted rows is not compacted. */
    private static final long MANY = 10_000;

    private final List<Rule> rules;
    private final Database db;
    private final RowLocks locks;
    private final GroupCommit<Batch> writer;
    private final InstantSource clock;

    /** The number of rows that were deleted, or replaced by smaller ones, since the last compaction of a family. */
    private final Map<Family, Long> dead = new ConcurrentHashMap<>();

    /** How a sweep treats the rows of a family. */
    private abstract static class Rule {
        final Family family;

        Rule(Family family) {
            this.family = family;
        }

        /** Whether a row has to be changed or deleted. */
        abstract boolean concerns(byte[] row, byte[] value);

        /** Adds the writes to a batch. Returns the name under which the row is counted; null if it is not counted. */
        abstract @Nullable String sweep(byte[] row, byte[] value, Batch batch);
    }

    Sweep(Database db, RowLocks locks, GroupCommit<Batch> writer, InstantSource clock) {
        this.db = db;
        this.locks = locks;
        this.writer = writer;
        this.clock = clock;
        this.rules = List.of(new KeyRule(), new DocumentRule(), new CommitLogRule(), new StartRule());
    }

    private final class KeyRule extends Rule {
        KeyRule() {
            super(db.records);
        }

        @Override
        boolean concerns(byte[] row, byte[] value) {
            return RecordRows.isToBeSwept(value, clock.instant());
        }

        @Override
        @Nullable String sweep(byte[] row, byte[] value, Batch batch) {
            IdempotencyRecord record = RecordRows.record(RecordRows.keyOf(row), value);
            IdempotencyRecord left = record.sweptAt(clock.instant());
            db.replace(batch, record, left);
            if (left == null) {
                dead.merge(db.incomplete, 1L, Long::sum);
                dead.merge(db.clientTxIds, 1L, Long::sum);
                return StoreAdmin.tableOf(record);
            }
            return left.status() == record.status() ? StoreAdmin.KEYS : null;
        }
    }

    private final class DocumentRule extends Rule {
        DocumentRule() {
            super(db.documents);
        }

        @Override
        boolean concerns(byte[] row, byte[] value) {
            return DocumentRows.isExpired(value, clock.instant());
        }

        @Override
        String sweep(byte[] row, byte[] value, Batch batch) {
            List<byte[]> indexEntries = DocumentRows.indexKeys(row, value);
            batch.delete(family.id(), row);
            indexEntries.forEach(key -> batch.delete(db.indexEntries.id(), key));
            dead.merge(db.indexEntries, (long) indexEntries.size(), Long::sum);
            return StoreAdmin.DOCUMENTS;
        }
    }

    private final class CommitLogRule extends Rule {
        CommitLogRule() {
            super(db.commitLog);
        }

        @Override
        boolean concerns(byte[] row, byte[] value) {
            Instant oldest = clock.instant().minusSeconds(COMMIT_LOG_SECONDS);
            return new ByteReader(value).readInstant().isBefore(oldest);
        }

        @Override
        String sweep(byte[] row, byte[] value, Batch batch) {
            batch.delete(family.id(), row);
            return StoreAdmin.COMMIT_LOG;
        }
    }

    private final class StartRule extends Rule {
        StartRule() {
            super(db.meta);
        }

        @Override
        boolean concerns(byte[] row, byte[] value) {
            return MetaRows.isExpiredStart(row, value, clock.instant());
        }

        @Override
        @Nullable String sweep(byte[] row, byte[] value, Batch batch) {
            batch.delete(family.id(), row);
            return null;
        }
    }

    /** @param from cursor: the number of a rule, a space, and the row to start at; empty to start */
    SweepStep step(String from) {
        int cut = from.indexOf(' ');
        int number = cut < 0 ? 0 : Integer.parseInt(from.substring(0, cut));
        byte[] begin = cut < 0 ? new byte[0] : from.substring(cut + 1).getBytes(UTF_8);
        Rule rule = rules.get(number);
        Map<String, Long> deleted = new HashMap<>();
        TABLES.forEach(table -> deleted.put(table, 0L));
        List<byte[]> found = new ArrayList<>();
        byte[] next = find(rule, begin, rowsAtATime(), found);
        Duration waited = sweep(rule, found, deleted);
        if (next != null) {
            return new SweepStep(deleted, Optional.of(number + " " + new String(next, UTF_8)), waited);
        }
        takeBackSpace();
        Optional<String> nextRule = number + 1 == rules.size() ? Optional.empty() : Optional.of((number + 1) + " ");
        return new SweepStep(deleted, nextRule, waited);
    }

    private int rowsAtATime() {
        int calls = writer.expected();
        return calls == 0 ? ROWS_AT_A_TIME : Math.min(ROWS_WITH_A_CALL * calls, ROWS_AT_A_TIME);
    }

    /** Compacts so seldom that at most two live rows are rewritten for each deleted one. */
    private void takeBackSpace() {
        dead.forEach((family, rows) -> {
            if (rows >= MANY && rows > db.number(family, "rocksdb.estimate-num-keys") / 2) {
                db.compact(family);
                dead.merge(family, -rows, Long::sum);
            }
        });
    }

    /** Collects rows that have to be changed or deleted. Returns the row to continue at; null at the end of the family. */
    private byte @Nullable [] find(Rule rule, byte[] from, int most, List<byte[]> found) {
        Snapshot snapshot = db.snapshot();
        try (ReadOptions options = Database.reading().setSnapshot(snapshot).setFillCache(false);
                RocksIterator rows = db.iterator(rule.family, options)) {
            int looks = 0;
            for (rows.seek(from); rows.isValid(); rows.next()) {
                byte[] row = rows.key();
                if (found.size() == most || looks++ == LOOKS_AT_A_TIME) {
                    return row;
                }
                if (concerns(rule, row, rows.value())) {
                    found.add(row);
                }
            }
            rows.status();
            return null;
        } catch (RocksDBException e) {
            throw Database.failed("scan", e);
        } finally {
            db.release(snapshot);
        }
    }

    /** Skips a row that cannot be decoded: it stays, and the others are swept. */
    private static boolean concerns(Rule rule, byte[] row, byte[] value) {
        try {
            return rule.concerns(row, value);
        } catch (RuntimeException e) {
            return false;
        }
    }

    /** Skips a row of which only the first fields can be decoded. */
    private static boolean sweep(Rule rule, byte[] row, byte[] value, Batch batch, Map<String, Long> deleted) {
        try {
            String table = rule.sweep(row, value, batch);
            if (table != null) {
                deleted.merge(table, 1L, Long::sum);
            }
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    /** Changes and deletes rows, and returns how long this waited for a group to join. */
    private Duration sweep(Rule rule, List<byte[]> found, Map<String, Long> deleted) {
        if (found.isEmpty()) {
            return Duration.ZERO;
        }
        int count = 0;
        Duration waited = Duration.ZERO;
        RowLocks.Held held = locks.lock(found);
        try {
            Batch batch = new Batch();
            for (byte[] row : found) {
                byte[] value = db.get(rule.family, row);
                if (value != null && concerns(rule, row, value)) {
                    count += sweep(rule, row, value, batch, deleted) ? 1 : 0;
                }
            }
            if (count > 0) {
                waited = writer.writeDeferred(batch);
            }
        } finally {
            held.release();
        }
        dead.merge(rule.family, (long) count, Long::sum);
        return waited;
    }
}
