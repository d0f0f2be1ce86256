package dev.semel.rocksdb;

import dev.semel.store.Cleanup;
import dev.semel.store.GroupWriter;
import dev.semel.store.Housekeeping;
import dev.semel.store.KeyPage;
import dev.semel.store.KeyQuery;
import dev.semel.store.NewKeyLedger;
import dev.semel.store.OnceKey;
import dev.semel.store.OnceRecord;
import dev.semel.store.RowLocks;
import dev.semel.store.SweepStep;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Snapshot;

/**
 * Keeps the store in order. Keys lie in the order of user, endpoint and key; those that are not completed, and those of a client's
 * transaction, are found by rows of their own.
 */
final class KeyKeeping implements Housekeeping {

    /** The most rows that are looked at for a page. */
    private static final int MOST_LOOKS = 10_000;

    private static final int ROWS_AT_A_TIME = 100;
    private static final int MOST_CLEANUPS = 10_000;

    private final Database db;
    private final RowLocks locks;
    private final GroupWriter<Batch> writer;
    private final InstantSource clock;
    private final NewKeyLedger newKeys;
    private final Metrics metrics;
    private final Sweep sweep;

    KeyKeeping(
            Database db,
            RowLocks locks,
            GroupWriter<Batch> writer,
            InstantSource clock,
            NewKeyLedger newKeys,
            Metrics metrics) {
        this.db = db;
        this.locks = locks;
        this.writer = writer;
        this.clock = clock;
        this.newKeys = newKeys;
        this.metrics = metrics;
        this.sweep = new Sweep(db, locks, writer, clock);
    }

    @Override
    public KeyPage list(KeyQuery query) {
        return new Listing(query, clock.instant()).run();
    }

    /** Looks for a page of keys. */
    private final class Listing {
        private final KeyQuery query;
        private final Instant now;
        private final boolean byClient;
        private final Family family;
        private final List<OnceRecord> found = new ArrayList<>();

        Listing(KeyQuery query, Instant now) {
            this.query = query;
            this.now = now;
            this.byClient = query.clientTxId() != null;
            this.family = byClient ? db.clients : query.asksForOpen() ? db.open : db.once;
        }

        KeyPage run() {
            byte[] prefix = prefix();
            OnceKey after = query.after() == null ? null : OnceKey.ofCursor(query.after());
            byte[] from = after == null ? prefix : Rows.next(rowOf(after));
            Snapshot snapshot = db.snapshot();
            try (ReadOptions options = Database.reading().setSnapshot(snapshot).setFillCache(false);
                    RocksIterator rows = db.iterator(family, options)) {
                rows.seek(Arrays.compareUnsigned(from, prefix) < 0 ? prefix : from);
                int looks = 0;
                OnceKey last = after;
                for (; rows.isValid() && startsWith(rows.key(), prefix); rows.next()) {
                    if (found.size() == query.limit() || looks++ == MOST_LOOKS) {
                        return page(Optional.of(Objects.requireNonNull(last).cursor()));
                    }
                    byte[] row = byClient ? Rows.keyBehind(rows.key()) : rows.key();
                    last = Rows.onceKey(row);
                    byte[] value = family == db.once ? rows.value() : db.get(db.once, options, row);
                    if (value != null) {
                        add(Rows.onceRecord(last, value));
                    }
                }
                rows.status();
                return page(Optional.empty());
            } catch (RocksDBException e) {
                throw Database.failed("scan", e);
            } finally {
                db.release(snapshot);
            }
        }

        private void add(OnceRecord record) {
            if (query.matches(record, now)) {
                found.add(record.withoutAnswer());
            }
        }

        private KeyPage page(Optional<String> next) {
            return new KeyPage(found, now, next);
        }

        /** What the rows begin with that may be asked for. */
        private byte[] prefix() {
            String user = query.user();
            if (user == null) {
                return new byte[0];
            }
            if (query.clientTxId() != null) {
                return Rows.rowsOf(user, query.clientTxId());
            }
            return query.endpoint() == null ? Rows.keysOf(user) : Rows.rowsOf(user, query.endpoint());
        }

        private byte[] rowOf(OnceKey key) {
            return byClient ? Rows.clientKey(key, Objects.requireNonNull(query.clientTxId())) : Rows.key(key);
        }
    }

    private static boolean startsWith(byte[] row, byte[] prefix) {
        return row.length >= prefix.length && Arrays.equals(row, 0, prefix.length, prefix, 0, prefix.length);
    }

    @Override
    public SweepStep sweep(String from) {
        if (from.isEmpty()) {
            newKeys.forgetIdle(clock.instant());
        }
        SweepStep step = sweep.step(from);
        step.deleted().values().forEach(metrics.swept::add);
        return step;
    }

    @Override
    public void log(List<Cleanup> cleanups) {
        Batch batch = new Batch();
        cleanups.forEach(cleanup -> batch.put(db.meta.id(), Rows.key(cleanup), Rows.value(cleanup)));
        rows(db.meta, Rows.cleanups(), Integer.MAX_VALUE).stream()
                .skip(MOST_CLEANUPS)
                .forEach(row -> batch.delete(db.meta.id(), row.key));
        writer.write(batch);
    }

    @Override
    public List<Cleanup> cleanups(int limit) {
        return rows(db.meta, Rows.cleanups(), limit).stream()
                .map(row -> Rows.cleanup(row.value))
                .toList();
    }

    @Override
    public Map<String, Long> erase(String user, boolean withDocuments) {
        Map<String, Long> erased = new HashMap<>();
        byte[] keys = Rows.keysOf(user);
        erased.put(KEYS, eraseKeys(keys));
        for (Family family : List.of(db.once, db.open, db.clients)) {
            db.wipe(family, keys, Rows.behind(keys));
        }
        if (withDocuments) {
            erased.put(DOCUMENTS, eraseDocuments(user));
        }
        return erased;
    }

    private long eraseKeys(byte[] keys) {
        return removeAll(
                db.once,
                keys,
                (row, batch) -> db.replace(batch, Rows.onceRecord(Rows.onceKey(row.key), row.value), null));
    }

    /** A user's documents lie together within each collection. */
    private long eraseDocuments(String user) {
        long erased = 0;
        byte @Nullable [] next = new byte[0];
        while ((next = firstFrom(db.documents, next)) != null) {
            String collection = Rows.collectionOf(next);
            byte[] theirs = Rows.documentKey(collection, "", user, "");
            long removed = removeAll(db.documents, theirs, (row, batch) -> batch.delete(db.documents.id(), row.key));
            erased += removed;
            db.wipe(db.documents, theirs, Rows.behind(theirs)); // also what they had deleted themselves
            eraseFurtherKeys(collection, user);
            next = Rows.behind(Rows.rowsOf(collection));
        }
        return erased;
    }

    private void eraseFurtherKeys(String collection, String user) {
        byte[] all = Rows.rowsOf(collection);
        byte @Nullable [] next = all;
        while ((next = firstFrom(db.further, next)) != null && startsWith(next, all)) {
            String name = Rows.furtherKeyOf(next);
            byte[] theirs = Rows.documentKey(collection, name, user, "");
            removeAll(db.further, theirs, (row, batch) -> batch.delete(db.further.id(), row.key));
            db.wipe(db.further, theirs, Rows.behind(theirs));
            next = Rows.behind(Rows.rowsOf(collection, name));
        }
    }

    /** A row as it is stored. */
    private static final class Row {
        private final byte[] key;
        private final byte[] value;

        Row(byte[] key, byte[] value) {
            this.key = key;
            this.value = value;
        }
    }

    /** What is to be written for a row to be gone. */
    private interface Removal {
        void add(Row row, Batch batch);
    }

    /** Removes all rows that begin with a prefix, and returns how many. */
    private long removeAll(Family family, byte[] prefix, Removal removal) {
        long removed = 0;
        while (true) {
            List<byte[]> some = rows(family, prefix, ROWS_AT_A_TIME).stream()
                    .map(row -> row.key)
                    .toList();
            if (some.isEmpty()) {
                return removed;
            }
            RowLocks.Held held = locks.lock(some);
            try {
                Batch batch = new Batch();
                for (byte[] key : some) {
                    byte[] value = db.get(family, key);
                    if (value != null) {
                        removal.add(new Row(key, value), batch);
                        removed++;
                    }
                }
                writer.write(batch);
            } finally {
                held.release();
            }
        }
    }

    private byte @Nullable [] firstFrom(Family family, byte[] from) {
        return read(family, rows -> {
            rows.seek(from);
            return rows.isValid() ? rows.key() : null;
        });
    }

    private List<Row> rows(Family family, byte[] prefix, int limit) {
        List<Row> found = new ArrayList<>();
        read(family, rows -> {
            rows.seek(prefix);
            for (; rows.isValid() && startsWith(rows.key(), prefix) && found.size() < limit; rows.next()) {
                found.add(new Row(rows.key(), rows.value()));
            }
            return null;
        });
        return found;
    }

    /** Goes through rows. */
    private interface Walk<T> {
        @Nullable T walk(RocksIterator rows);
    }

    private <T> @Nullable T read(Family family, Walk<T> walk) {
        Snapshot snapshot = db.snapshot();
        try (ReadOptions options = Database.reading().setSnapshot(snapshot).setFillCache(false);
                RocksIterator rows = db.iterator(family, options)) {
            T result = walk.walk(rows);
            rows.status();
            return result;
        } catch (RocksDBException e) {
            throw Database.failed("scan", e);
        } finally {
            db.release(snapshot);
        }
    }
}
