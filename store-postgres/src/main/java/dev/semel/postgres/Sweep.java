package dev.semel.postgres;

import dev.semel.postgres.Session.Role;
import dev.semel.store.DocumentId;
import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.admin.StoreAdmin.Cleanup;
import dev.semel.store.admin.StoreAdmin.SweepStep;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Deletes expired rows in small transactions, as the role {@code semel_service}. It skips rows that others have locked; the next sweep
 * deletes them. Any number of servers may sweep at the same time. A commit that reuses an expired row is not affected: it writes the whole
 * row, whether the row still exists or not.
 *
 * <p>Rows are visited in the order of their expiry, and each step continues where the previous one ended. An index keeps deleted entries
 * until it is vacuumed, and a step that started at the beginning of the index would visit all of them again.
 */
final class Sweep {

    /** Few enough that other transactions do not wait long for the rows. */
    private static final int ROWS_AT_A_TIME = 10;

    /** Few enough for the lock table of the server, which all transactions share. */
    static final int LOCKS_AT_A_TIME = 10;

    private static final String NOW = "(select coalesce(?::timestamptz, clock_timestamp()))";

    /** Where to continue; null for the beginning. */
    private static final String FROM = "coalesce(?::timestamptz, '-infinity')";

    /** If a crash undoes a deletion, the next sweep repeats it. */
    private static final String ASYNCHRONOUS = ", set_config('synchronous_commit', 'off', true)";

    private static final String RECORDS = "select s.table_name, s.deleted_count, s.last_due"
            + " from {schema}.sweep_idempotency_records(" + FROM + ", " + NOW + ", " + ROWS_AT_A_TIME + ") s";

    /** Entries are kept for ten minutes, for callers that send a commit again. */
    private static final String COMMIT_LOG = """
            with gone as (
              delete from {schema}.commit_log z using (
                select k.ctid as row_id, k.created_at from {schema}.commit_log k
                where k.created_at >= %s and k.created_at < %s - interval '10 minutes'
                order by k.created_at limit %d for update skip locked) g
              where z.ctid = g.row_id returning g.created_at)
            select '%s', count(*), max(created_at) from gone having count(*) > 0
            """.formatted(FROM, NOW, ROWS_AT_A_TIME, StoreAdmin.COMMIT_LOG);

    private static final String EXPIRED = """
            select d.collection, d.owner, d.key, d.expires_at from {schema}.documents d
            where d.expires_at >= %s and d.expires_at <= %s order by d.expires_at offset ? limit %d
            """.formatted(FROM, NOW, LOCKS_AT_A_TIME);

    /** Deletes the index entries of the documents in {@code gone}. */
    static final String WITH_INDEX_ENTRIES = """
            entries_gone as (
              delete from {schema}.index_entries z using (
                select y.row_id from gone cross join lateral string_to_table(gone.index_entries, E'\\n') line
                cross join lateral (
                  select k.ctid as row_id from {schema}.index_entries k
                  where k.collection = gone.collection and k.owner = gone.owner
                  and k.index_name = split_part(line, E'\\t', 1) and k.index_key = split_part(line, E'\\t', 2) limit 1) y) g
              where z.ctid = g.row_id)""";

    private static final String DOCUMENTS = """
            with gone as (
              delete from {schema}.documents z using (
                select y.row_id from unnest(?::text[], ?::text[], ?::text[]) with ordinality x(collection, owner, key, no)
                cross join lateral (
                  select k.ctid as row_id from {schema}.documents k
                  where k.collection = x.collection and k.owner = x.owner and k.key = x.key and k.expires_at <= %s limit 1) y
                where x.no <> all ((select string_to_array(current_setting('semel.busy'), ','))::int8[])) g
              where z.ctid = g.row_id returning z.collection, z.owner, z.index_entries),
            %s select count(*) from gone
            """.formatted(NOW, WITH_INDEX_ENTRIES);

    private static final String LOG = """
            with logged as (
              insert into {schema}.cleanup_logs (table_name, deleted_count, cleanup_time)
              select l.table_name, l.deleted_count, l.cleanup_time
              from unnest(?::text[], ?::int8[], ?::timestamptz[]) l(table_name, deleted_count, cleanup_time) returning 1)
            select count(*) from logged
            """;

    private static final String LOGGED = """
            select table_name, deleted_count, cleanup_time from {schema}.cleanup_logs
            where cleanup_time <= coalesce(?::timestamptz, 'infinity')
            and (cleanup_time < coalesce(?::timestamptz, 'infinity') or table_name collate "C" > ?)
            order by cleanup_time desc, table_name collate "C" limit ?
            """;

    private final Session session;
    private final List<String> tables;
    private final List<String> batches;
    private final boolean hasDocuments;
    private final String expired;
    private final String documents;
    private final String log;
    private final String logged;

    Sweep(Session session, boolean hasDocuments) {
        this.session = session;
        this.hasDocuments = hasDocuments;
        this.tables = hasDocuments
                ? List.of(StoreAdmin.KEYS, StoreAdmin.TOMBSTONES, StoreAdmin.DOCUMENTS, StoreAdmin.COMMIT_LOG)
                : List.of(StoreAdmin.KEYS, StoreAdmin.TOMBSTONES);
        String records = session.sql(Role.SERVICE, ASYNCHRONOUS, RECORDS);
        this.batches =
                hasDocuments ? List.of(records, session.sql(Role.SERVICE, ASYNCHRONOUS, COMMIT_LOG)) : List.of(records);
        this.expired = session.sql(Role.SERVICE, EXPIRED);
        this.documents = session.sql(Role.SERVICE, CommitSql.TRY_LOCKS + ASYNCHRONOUS, DOCUMENTS);
        this.log = session.sql(Role.SERVICE, LOG);
        this.logged = session.sql(Role.SERVICE, LOGGED);
    }

    /** The deleted rows by name, and the latest of their times. */
    private static final class Gone {
        private final Map<String, Long> counts = new HashMap<>();
        private @Nullable Instant last;

        void add(String name, long count, Instant time) {
            counts.put(name, count);
            last = last == null || time.isAfter(last) ? time : last;
        }

        long all() {
            return counts.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    /**
     * The position of a sweep.
     *
     * @param batch the next batch; documents come after the last one
     * @param from the time to continue at; null for the beginning
     * @param passed how many documents from that time on were skipped
     */
    private record Cursor(int batch, @Nullable Instant from, long passed) {

        static Cursor of(String text) {
            if (text.isEmpty()) {
                return new Cursor(0, null, 0);
            }
            String[] words = text.split(" ", -1);
            return new Cursor(
                    Integer.parseInt(words[0]),
                    words[1].equals("-") ? null : Instant.parse(words[1]),
                    Long.parseLong(words[2]));
        }

        @Override
        public String toString() {
            return batch + " " + (from == null ? "-" : from) + " " + passed;
        }
    }

    /**
     * Runs one step.
     *
     * @param from the cursor that the previous step returned; empty to start
     * @param now the time for tests; null for the database's time
     */
    SweepStep step(String from, @Nullable Instant now) {
        Cursor cursor = Cursor.of(from);
        if (cursor.batch == batches.size()) {
            return documents(cursor, now);
        }
        Gone gone = run(batches.get(cursor.batch), cursor, now);
        Cursor next = gone.all() == ROWS_AT_A_TIME
                ? new Cursor(cursor.batch, gone.last, 0)
                : new Cursor(cursor.batch + 1, null, 0);
        Map<String, Long> deleted = gone.counts;
        deleted.remove("");
        tables.forEach(table -> deleted.putIfAbsent(table, 0L));
        boolean isLast = next.batch == batches.size() && !hasDocuments;
        return new SweepStep(deleted, isLast ? Optional.empty() : Optional.of(next.toString()));
    }

    private Gone run(String batch, Cursor cursor, @Nullable Instant now) {
        return session.run(batch, to -> to.text("").time(cursor.from).time(now), rows -> {
            Gone gone = new Gone();
            while (rows.next()) {
                gone.add(rows.getString(1), rows.getLong(2), IdempotencyRow.instant(rows, 3));
            }
            return gone;
        });
    }

    /** The next step continues at the time of the last document, and skips those of that time that were not deleted. */
    private SweepStep documents(Cursor cursor, @Nullable Instant now) {
        List<Instant> times = new ArrayList<>();
        List<DocumentId> found = expired(cursor, now, times);
        if (found.isEmpty()) {
            return new SweepStep(Map.of(StoreAdmin.DOCUMENTS, 0L), Optional.empty());
        }
        long deleted = delete(found, now);
        long left = found.size() - deleted;
        Instant last = times.get(times.size() - 1);
        boolean goesOn = !last.equals(cursor.from);
        long passed = goesOn ? Math.min(left, Collections.frequency(times, last)) : cursor.passed + left;
        return new SweepStep(
                Map.of(StoreAdmin.DOCUMENTS, deleted), Optional.of(new Cursor(cursor.batch, last, passed).toString()));
    }

    private List<DocumentId> expired(Cursor cursor, @Nullable Instant now, List<Instant> times) {
        return session.run(
                expired, to -> to.text("").time(cursor.from).time(now).number(cursor.passed), rows -> {
                    List<DocumentId> ids = new ArrayList<>();
                    while (rows.next()) {
                        ids.add(new DocumentId(rows.getString(1), rows.getString(2), rows.getString(3)));
                        times.add(IdempotencyRow.instant(rows, 4));
                    }
                    return ids;
                });
    }

    /** Deletes the documents that are not locked and still expired. */
    private long delete(List<DocumentId> ids, @Nullable Instant now) {
        List<Long> numbers = new ArrayList<>();
        List<Long> locks = new ArrayList<>();
        for (DocumentId id : ids) {
            long number = locks.size() / 2 + 1L;
            numbers.addAll(List.of(number, number));
            locks.addAll(List.of(session.locks().ofDocuments(), session.locks().of(RowId.of(id))));
        }
        return session.run(
                documents,
                to -> to.text("")
                        .numbers(numbers)
                        .numbers(locks)
                        .texts(ids.stream().map(DocumentId::collection).toList())
                        .texts(ids.stream().map(DocumentId::owner).toList())
                        .texts(ids.stream().map(DocumentId::key).toList())
                        .time(now),
                rows -> rows.next() ? rows.getLong(1) : 0);
    }

    void log(List<Cleanup> cleanups) {
        session.run(
                log,
                to -> to.text("")
                        .texts(cleanups.stream().map(Cleanup::table).toList())
                        .numbers(cleanups.stream().map(Cleanup::deleted).toList())
                        .array(
                                "timestamptz",
                                cleanups.stream().map(Cleanup::time).toList()),
                rows -> rows.next());
    }

    List<Cleanup> logged(@Nullable Cleanup after, int limit) {
        Instant time = after == null ? null : after.time();
        return session.run(
                logged,
                to -> to.text("")
                        .time(time)
                        .time(time)
                        .text(after == null ? "" : after.table())
                        .number(limit),
                rows -> {
                    List<Cleanup> found = new ArrayList<>();
                    while (rows.next()) {
                        found.add(new Cleanup(rows.getString(1), rows.getLong(2), IdempotencyRow.instant(rows, 3)));
                    }
                    return found;
                });
    }
}
