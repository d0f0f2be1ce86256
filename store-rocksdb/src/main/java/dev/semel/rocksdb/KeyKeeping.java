package dev.semel.rocksdb;

import dev.semel.rocksdb.Database.Stretch;
import dev.semel.store.Cleanup;
import dev.semel.store.GroupWriter;
import dev.semel.store.Housekeeping;
import dev.semel.store.KeyPage;
import dev.semel.store.KeyQuery;
import dev.semel.store.KeyState;
import dev.semel.store.NewKeyLedger;
import dev.semel.store.OnceKey;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceStatus;
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
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Snapshot;

/**
 * Keeps the store in order. Keys lie in the order of user, endpoint and key, so that what is not asked for is skipped by leaps; those that
 * are not completed, and those of a client's transaction, are found by rows of their own.
 */
final class KeyKeeping implements Housekeeping {

    /** The most rows that are looked at for a page. */
    private static final int MOST_LOOKS = 10_000;

    /** The most that are passed over by their status, which is quick. */
    private static final int MOST_PASSED = 200_000;

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
            this.byClient = query.clientTxId() != null && query.user() != null;
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
                int passed = 0;
                OnceKey last = after;
                while (rows.isValid() && startsWith(rows.key(), prefix)) {
                    if (found.size() == query.limit() || looks == MOST_LOOKS || passed == MOST_PASSED) {
                        return page(Optional.of(Objects.requireNonNull(last).cursor()));
                    }
                    byte[] row = byClient ? Rows.keyBehind(rows.key()) : rows.key();
                    last = Rows.onceKey(row);
                    byte[] nextWanted = byClient ? null : nextWanted(last, row);
                    if (nextWanted != null) {
                        looks++;
                        rows.seek(nextWanted);
                        continue;
                    }
                    if (family == db.open && !mayBeWanted(Rows.onceStatus(rows.value()))) {
                        passed++;
                    } else {
                        looks++;
                        byte[] value = family == db.once ? rows.value() : db.get(db.once, options, row);
                        if (value != null) {
                            add(Rows.onceRecord(last, value));
                        }
                    }
                    rows.next();
                }
                rows.status();
                return page(Optional.empty());
            } catch (RocksDBException e) {
                throw Database.failed("scan", e);
            } finally {
                db.release(snapshot);
            }
        }

        /**
         * Where rows go on that have the endpoint and begin as is asked for; null if this one does. So each user is looked at, and each
         * of their endpoints if none is asked for, but not each key.
         */
        private byte @Nullable [] nextWanted(OnceKey key, byte[] row) {
            String endpoint = Objects.requireNonNullElse(query.endpoint(), key.endpoint());
            byte[] wanted = Rows.keysOf(key.user(), endpoint, Objects.requireNonNullElse(query.prefix(), ""));
            if (startsWith(row, wanted)) {
                return null;
            }
            if (Arrays.compareUnsigned(row, wanted) < 0) {
                return wanted;
            }
            return Rows.behind(
                    query.endpoint() == null ? Rows.keysOf(key.user(), key.endpoint(), "") : Rows.keysOf(key.user()));
        }

        /** What is processing may be unknown, if its owner has vanished. */
        private boolean mayBeWanted(OnceStatus status) {
            return (status == OnceStatus.FAILED) == (query.state() == KeyState.FAILED);
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
            String endpoint = query.endpoint();
            if (endpoint == null) {
                return Rows.keysOf(user);
            }
            return Rows.keysOf(user, endpoint, Objects.requireNonNullElse(query.prefix(), ""));
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
    public List<Cleanup> cleanups(@Nullable Cleanup after, int limit) {
        byte[] from = after == null ? Rows.cleanups() : Rows.next(Rows.key(after));
        return rows(db.meta, Rows.cleanups(), from, limit).stream()
                .map(row -> Rows.cleanup(row.value))
                .toList();
    }

    @Override
    public Map<String, Long> erase(String user, boolean withDocuments) {
        Map<String, Long> erased = new HashMap<>();
        byte[] keys = Rows.keysOf(user);
        erased.put(KEYS, eraseKeys(keys));
        for (Family family : List.of(db.once, db.open, db.clients)) {
            db.wipe(family, List.of(new Stretch(keys, Rows.behind(keys))));
        }
        byte[] starts = Rows.startsOf(user);
        removeAll(db.meta, starts, REMOVED);
        db.wipe(db.meta, List.of(new Stretch(starts, Rows.behind(starts))));
        newKeys.forget(user);
        if (withDocuments) {
            erased.put(DOCUMENTS, eraseDocuments(user));
        }
        return erased;
    }

    private long eraseKeys(byte[] keys) {
        return removeAll(db.once, keys, (family, row, batch) -> {
            db.replace(batch, Rows.onceRecord(Rows.onceKey(row.key), row.value), null);
            return true;
        });
    }

    /** A user's rows lie together within each collection, and within each of its further keys. */
    private long eraseDocuments(String user) {
        long erased = wipe(db.documents, row -> Rows.rowsOf(Rows.collectionOf(row)), user, REMOVED);
        wipe(db.further, row -> Rows.rowsOf(Rows.collectionOf(row), Rows.furtherKeyOf(row)), user, new Unled());
        return erased;
    }

    /**
     * Leaves no byte of what a user has in a family, nor of what they had deleted themselves: that may lie next to what is there, or
     * between, where nobody has anything any more.
     *
     * @param rowsAround the rows among which a row is, in which each user's lie together
     */
    private long wipe(Family family, UnaryOperator<byte[]> rowsAround, String user, Removal removal) {
        long removed = 0;
        List<Stretch> theirsOrNobodys = new ArrayList<>();
        byte[] from = new byte[0];
        byte[] next;
        while ((next = firstFrom(family, from)) != null) {
            byte[] around = rowsAround.apply(next);
            byte[] theirs = Rows.ownedBy(around, user);
            removed += removeAll(family, theirs, removal);
            theirsOrNobodys.add(new Stretch(from, around));
            theirsOrNobodys.add(new Stretch(theirs, Rows.behind(theirs)));
            from = Rows.behind(around);
        }
        theirsOrNobodys.add(new Stretch(from, Rows.BEHIND_ALL));
        db.wipe(family, theirsOrNobodys);
        return removed;
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

    /** What is to be done for a row to be gone. */
    private interface Removal {

        /** Whose lock is to be held for it. */
        default byte[] lockedBy(Row row) {
            return row.key;
        }

        /** Adds what is to be written; returns whether the row goes. */
        boolean add(Family family, Row row, Batch batch);
    }

    private static final Removal REMOVED = (family, row, batch) -> {
        batch.delete(family.id(), row.key);
        return true;
    };

    /** A further key goes if its document has gone: it may have been made anew meanwhile. */
    private final class Unled implements Removal {
        @Override
        public byte[] lockedBy(Row row) {
            return Rows.documentBehind(row.key, row.value);
        }

        @Override
        public boolean add(Family family, Row row, Batch batch) {
            return db.get(db.documents, lockedBy(row)) == null && REMOVED.add(family, row, batch);
        }
    }

    /** Removes all rows that begin with a prefix, and returns how many. */
    private long removeAll(Family family, byte[] prefix, Removal removal) {
        long removed = 0;
        byte[] from = prefix;
        while (true) {
            List<Row> some = rows(family, prefix, from, ROWS_AT_A_TIME);
            if (some.isEmpty()) {
                return removed;
            }
            RowLocks.Held held = locks.lock(some.stream().map(removal::lockedBy).toList());
            try {
                Batch batch = new Batch();
                for (Row row : some) {
                    byte[] value = db.get(family, row.key);
                    removed += value != null && removal.add(family, new Row(row.key, value), batch) ? 1 : 0;
                }
                writer.write(batch);
            } finally {
                held.release();
            }
            from = Rows.next(some.get(some.size() - 1).key);
        }
    }

    private byte @Nullable [] firstFrom(Family family, byte[] from) {
        return read(family, rows -> {
            rows.seek(from);
            return rows.isValid() ? rows.key() : null;
        });
    }

    private List<Row> rows(Family family, byte[] prefix, int limit) {
        return rows(family, prefix, prefix, limit);
    }

    private List<Row> rows(Family family, byte[] prefix, byte[] from, int limit) {
        List<Row> found = new ArrayList<>();
        read(family, rows -> {
            rows.seek(from);
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
