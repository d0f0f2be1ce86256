package dev.semel.rocksdb;

import dev.semel.store.GroupWriter;
import dev.semel.store.RowLocks;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.Snapshot;

/**
 * Removes what is past its time, a few rows at a time. A row is looked at once more under its lock before it is removed, since
 * somebody may have begun it anew. RocksDB keeps the space of removed rows until it compacts what is around them, which may never
 * be; so it is told to as soon as there are half as many of them as of living ones.
 */
final class Sweep {

    /** So few that nobody waits for long, and so many that a write to disk is worth it. */
    private static final int ROWS_AT_A_TIME = 100;

    /** How many rows are looked at before others get a turn at what a snapshot holds back. */
    private static final int LOOKS_AT_A_TIME = 50_000;

    /** How long it is remembered which commits were applied, for those who ask again. */
    private static final long RECEIPT_SECONDS = 600;

    /** With fewer dead rows than these nobody bothers. */
    private static final long MANY = 10_000;

    private final Map<Family, Long> dead = new HashMap<>();
    private final Database db;
    private final RowLocks locks;
    private final GroupWriter<Batch> writer;
    private final InstantSource clock;

    Sweep(Database db, RowLocks locks, GroupWriter<Batch> writer, InstantSource clock) {
        this.db = db;
        this.locks = locks;
        this.writer = writer;
        this.clock = clock;
    }

    /** Which rows may go, and whose lock is to be held for it. */
    private interface Rule {

        boolean mayGo(byte[] row, byte[] value);

        default byte[] lockedBy(byte[] row, byte[] value) {
            return row;
        }
    }

    /** Rows that may go, and those whose locks are to be held for it. */
    private static final class Candidates {
        private final List<byte[]> rows = new ArrayList<>();
        private final List<byte[]> locks = new ArrayList<>();
    }

    synchronized long run() {
        Set<String> touched = new HashSet<>();
        long removed = removeAll(db.once, new byte[0], null, (row, value) -> Rows.isOver(value, clock.instant()));
        removed += removeAll(db.documents, new byte[0], null, (row, value) -> {
            boolean expired = Rows.isExpired(value, clock.instant());
            if (expired) {
                touched.add(Rows.collectionOf(row));
            }
            return expired;
        });
        for (String collection : touched) {
            byte[] from = Rows.rowsOf(collection);
            removed += removeAll(db.further, from, Rows.behind(from), new LeadsNowhere());
        }
        Instant forgotten = clock.instant().minusSeconds(RECEIPT_SECONDS);
        return removed
                + removeAll(
                        db.receipts,
                        new byte[0],
                        null,
                        (row, value) -> new ByteReader(value).readInstant().isBefore(forgotten));
    }

    /** A further key goes when its document has gone. */
    private final class LeadsNowhere implements Rule {

        @Override
        public boolean mayGo(byte[] row, byte[] value) {
            byte[] document = db.get(db.documents, lockedBy(row, value));
            return document == null || !Rows.leadsTo(row, document);
        }

        @Override
        public byte[] lockedBy(byte[] row, byte[] value) {
            return Rows.documentBehind(row, value);
        }
    }

    private long removeAll(Family family, byte[] from, byte @Nullable [] to, Rule rule) {
        long removed = 0;
        byte[] next = from;
        while (next != null) {
            Candidates found = new Candidates();
            next = find(family, next, to, rule, found);
            removed += remove(family, found, rule);
        }
        takeBackSpace(family, removed);
        return removed;
    }

    /** It is done so seldom that a row is not written again more than twice for each that was removed. */
    private void takeBackSpace(Family family, long removed) {
        long nowDead = dead.merge(family, removed, Long::sum);
        if (removed > 0 && nowDead >= MANY && nowDead > db.number(family, "rocksdb.estimate-num-keys") / 2) {
            db.compact(family);
            dead.put(family, 0L);
        }
    }

    /** Finds some rows that may go; returns where to look further, or null at the end. */
    private byte @Nullable [] find(Family family, byte[] from, byte @Nullable [] to, Rule rule, Candidates found) {
        Snapshot snapshot = db.snapshot();
        try (Slice end = new Slice(to == null ? new byte[0] : to);
                ReadOptions options = Database.reading().setSnapshot(snapshot).setFillCache(false);
                RocksIterator rows = db.iterator(family, to == null ? options : options.setIterateUpperBound(end))) {
            int looks = 0;
            for (rows.seek(from); rows.isValid(); rows.next()) {
                byte[] row = rows.key();
                if (found.rows.size() == ROWS_AT_A_TIME || looks++ == LOOKS_AT_A_TIME) {
                    return row;
                }
                byte[] value = rows.value();
                if (mayGo(rule, row, value)) {
                    found.rows.add(row);
                    found.locks.add(rule.lockedBy(row, value));
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

    /** A row that cannot be read stays, and the others are swept all the same. */
    private static boolean mayGo(Rule rule, byte[] row, byte[] value) {
        try {
            return rule.mayGo(row, value);
        } catch (RuntimeException e) {
            return false;
        }
    }

    /** Removes those that still may go. */
    private int remove(Family family, Candidates found, Rule rule) {
        if (found.rows.isEmpty()) {
            return 0;
        }
        int removed = 0;
        RowLocks.Held held = locks.lock(found.locks);
        try {
            Batch batch = new Batch();
            for (byte[] row : found.rows) {
                byte[] value = db.get(family, row);
                if (value != null && mayGo(rule, row, value)) {
                    batch.delete(family.id(), row);
                    removed++;
                }
            }
            if (removed > 0) {
                writer.write(batch);
            }
        } finally {
            held.release();
        }
        return removed;
    }
}
