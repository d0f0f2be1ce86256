package dev.semel.postgres;

import dev.semel.postgres.Session.Role;
import dev.semel.store.Cleanup;
import dev.semel.store.DocumentId;
import dev.semel.store.Housekeeping;
import dev.semel.store.SweepStep;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Lets go of what is past its time, a few rows to a transaction, as the role {@code semel_service}. Rows that somebody is at are left
 * for the next time; any number of servers may sweep at once. A commit that is just taking over a row writes it anew, whether it is
 * still there or not.
 *
 * <p>Rows are gone through in the order of their times, and each step goes on where the last one ended: an index keeps what has gone
 * until it is vacuumed, and whoever began at its beginning would go through all of that again.
 */
final class Sweep {

    /** So few that nobody waits for long, and so many that a transaction is worth it. */
    private static final int ROWS_AT_A_TIME = 10;

    /** As many locks as a transaction may hold without thinking of those of others. */
    static final int LOCKS_AT_A_TIME = 10;

    private static final String NOW = "(select coalesce(?::timestamptz, clock_timestamp()))";

    /** Nobody waits until it is on disk: if a crash takes it back, the next sweep lets it go again. */
    private static final String UNHURRIED = ", set_config('synchronous_commit', 'off', true)";

    /** From where on; from the beginning if nothing is said. */
    private static final String FROM = " coalesce(?::timestamptz, '-infinity')";

    private static final String SOME = " limit " + ROWS_AT_A_TIME + " for update skip locked) g where z.ctid = g.tid";

    /** What an owner has left who vanished, and must not be run again. It counts as nothing: it is not let go. */
    private static final String FREEZE =
            counting("update idempotency_keys z set status = 'unknown', lease_until = null,"
                    + " forgotten_at = null from (select k.ctid as tid, k.lease_until as time"
                    + " from idempotency_keys k where k.status = 'processing' and k.if_abandoned = 'freeze'"
                    + " and k.lease_until >= " + FROM + " and k.lease_until <= " + NOW + " order by k.lease_until"
                    + SOME
                    + " returning '', g.time");

    /** What is forgotten at once counts when it is. */
    private static final String STRIP = counting("update idempotency_keys z set response_payload = null,"
            + " response_status = null, response_kind = null, response_headers = null, response_body = null"
            + " from (select k.ctid as tid, k.expires_at as time from idempotency_keys k where k.response_kind is not null"
            + " and k.expires_at >= " + FROM + " and k.expires_at <= " + NOW + " order by k.expires_at" + SOME
            + " returning case when coalesce(z.forgotten_at, z.expires_at) > " + NOW + " then '" + Housekeeping.KEYS
            + "' else '' end, g.time");

    private static final String FORGET = counting("delete from idempotency_keys z using (select k.ctid as tid,"
            + " coalesce(k.forgotten_at, k.expires_at) as time from idempotency_keys k where k.response_kind is null"
            + " and coalesce(k.forgotten_at, k.expires_at) >= " + FROM
            + " and coalesce(k.forgotten_at, k.expires_at) <= " + NOW
            + " and k.status <> 'unknown' and (k.status <> 'processing' or k.if_abandoned is distinct from 'freeze')"
            + " order by coalesce(k.forgotten_at, k.expires_at)"
            + SOME
            + " returning case when z.status = 'processing' then '" + Housekeeping.KEYS + "' else '"
            + Housekeeping.TOMBSTONES + "' end, g.time");

    /** It is remembered for ten minutes which commits were applied, for those who ask again. */
    private static final String RECEIPTS = olderThan("10 minutes", "receipts", Housekeeping.RECEIPTS);

    private static final String STARTS = olderThan("1 hour", "earlier_starts", "");

    private static String olderThan(String age, String table, String asWhat) {
        return counting("delete from " + table + " z using (select k.ctid as tid, k.created_at as time from " + table
                + " k where k.created_at >= " + FROM + " and k.created_at < " + NOW + " - interval '" + age
                + "' order by k.created_at" + SOME + " returning '" + asWhat + "', g.time");
    }

    private static final String EXPIRED =
            "select d.collection, d.owner, d.key, d.expires_at from documents d" + " where d.expires_at >= " + FROM
                    + " and d.expires_at <= " + NOW + " order by d.expires_at offset ? limit " + LOCKS_AT_A_TIME;

    /** Further keys go with the documents that are {@code gone}. */
    static final String WITH_FURTHER_KEYS = "unled as (delete from further_keys z using (select y.tid from gone"
            + " cross join lateral string_to_table(gone.found_by, E'\\n') line"
            + " cross join lateral (select k.ctid as tid from further_keys k where k.collection = gone.collection"
            + " and k.owner = gone.owner and k.name = split_part(line, E'\\t', 1)"
            + " and k.further_key = split_part(line, E'\\t', 2) limit 1) y) g where z.ctid = g.tid)";

    private static final String DOCUMENTS = "with gone as (delete from documents z using (select y.tid"
            + " from unnest(?::text[], ?::text[], ?::text[]) with ordinality x(collection, owner, key, i)"
            + " cross join lateral (select k.ctid as tid from documents k where k.collection = x.collection and k.owner = x.owner"
            + " and k.key = x.key and k.expires_at <= " + NOW + " limit 1) y"
            + " where x.i <> all ((select string_to_array(current_setting('semel.busy'), ','))::int8[])) g"
            + " where z.ctid = g.tid returning z.collection, z.owner, z.found_by), " + WITH_FURTHER_KEYS
            + " select count(*) from gone";

    private static final String LOG = "with told as (insert into cleanup_logs (table_name, deleted_count, cleanup_time)"
            + " select l.table_name, l.deleted_count, l.cleanup_time from unnest(?::text[], ?::int8[], ?::timestamptz[])"
            + " l(table_name, deleted_count, cleanup_time) returning 1) select count(*) from told";

    private static final String LOGGED = "select table_name, deleted_count, cleanup_time from cleanup_logs"
            + " where cleanup_time <= coalesce(?::timestamptz, 'infinity')"
            + " and (cleanup_time < coalesce(?::timestamptz, 'infinity') or table_name collate \"C\" > ?)"
            + " order by cleanup_time desc, table_name collate \"C\" limit ?";

    private static final List<String> TABLES =
            List.of(Housekeeping.KEYS, Housekeeping.TOMBSTONES, Housekeeping.DOCUMENTS, Housekeeping.RECEIPTS);

    private final Session session;

    Sweep(Session session) {
        this.session = session;
    }

    private static String counting(String change) {
        return "with gone(as_what, time) as (" + change
                + ") select as_what, count(*), max(time) from gone group by as_what";
    }

    /** What is gone through, one after another; {@link #step} tells which by its place. */
    private static final List<Batch> BATCHES = List.of(
            new Batch(FREEZE, 1),
            new Batch(STRIP, 2),
            new Batch(FORGET, 1),
            new Batch(RECEIPTS, 1),
            new Batch(STARTS, 1));

    /** A statement, and how often it asks what time it is. */
    private record Batch(String sql, int times) {}

    /** What a statement has let go, by what it counts as, and the last of the times of that. */
    private static final class Gone {
        private final Map<String, Long> counts = new HashMap<>();
        private @Nullable Instant last;

        void add(String asWhat, long count, Instant time) {
            counts.put(asWhat, count);
            last = last == null || time.isAfter(last) ? time : last;
        }

        long all() {
            return counts.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    /**
     * Where a sweep is.
     *
     * @param batch which is next; behind the last of them come documents
     * @param from a time before which there is nothing more to do
     * @param passed how many documents from then on were passed over
     */
    private record Place(int batch, @Nullable Instant from, long passed) {

        static Place of(String text) {
            if (text.isEmpty()) {
                return new Place(0, null, 0);
            }
            String[] words = text.split(" ", -1);
            return new Place(
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
     * @param from where the last step ended; empty to begin
     * @param now what time it is; null if the database is to say
     */
    SweepStep step(String from, @Nullable Instant now) {
        Place place = Place.of(from);
        if (place.batch == BATCHES.size()) {
            return documents(place, now);
        }
        Gone gone = run(BATCHES.get(place.batch), place, now);
        Place next = gone.all() == ROWS_AT_A_TIME
                ? new Place(place.batch, gone.last, 0)
                : new Place(place.batch + 1, null, 0);
        Map<String, Long> deleted = gone.counts;
        deleted.remove("");
        TABLES.forEach(table -> deleted.putIfAbsent(table, 0L));
        return new SweepStep(deleted, Optional.of(next.toString()));
    }

    private Gone run(Batch batch, Place place, @Nullable Instant now) {
        return session.run(
                session.prologue(Role.SERVICE, UNHURRIED) + batch.sql,
                to -> {
                    to.text("").time(place.from);
                    for (int i = 0; i < batch.times; i++) {
                        to.time(now);
                    }
                },
                rows -> {
                    Gone gone = new Gone();
                    while (rows.next()) {
                        gone.add(rows.getString(1), rows.getLong(2), OnceRow.instant(rows, 3));
                    }
                    return gone;
                });
    }

    /** The next step goes on at the time of the last one, of which as many may have been passed over as were left. */
    private SweepStep documents(Place place, @Nullable Instant now) {
        List<Instant> times = new ArrayList<>();
        List<DocumentId> expired = expired(place, now, times);
        if (expired.isEmpty()) {
            return new SweepStep(Map.of(Housekeeping.DOCUMENTS, 0L), Optional.empty());
        }
        long removed = remove(expired, now);
        long left = expired.size() - removed;
        Instant last = times.get(times.size() - 1);
        boolean goesOn = !last.equals(place.from);
        long passed = goesOn ? Math.min(left, Collections.frequency(times, last)) : place.passed + left;
        return new SweepStep(
                Map.of(Housekeeping.DOCUMENTS, removed), Optional.of(new Place(place.batch, last, passed).toString()));
    }

    private List<DocumentId> expired(Place place, @Nullable Instant now, List<Instant> times) {
        return session.run(
                session.prologue(Role.SERVICE) + EXPIRED,
                to -> to.text("").time(place.from).time(now).number(place.passed),
                rows -> {
                    List<DocumentId> ids = new ArrayList<>();
                    while (rows.next()) {
                        ids.add(new DocumentId(rows.getString(1), rows.getString(2), rows.getString(3)));
                        times.add(OnceRow.instant(rows, 4));
                    }
                    return ids;
                });
    }

    /** Removes those that nobody is at and that are still past their time. */
    private long remove(List<DocumentId> ids, @Nullable Instant now) {
        List<Long> numbers = new ArrayList<>();
        List<Long> locks = new ArrayList<>();
        for (DocumentId id : ids) {
            numbers.add(numbers.size() + 1L);
            locks.add(RowId.of(id).lock());
        }
        return session.run(
                session.prologue(Role.SERVICE, CommitSql.TRY_LOCKS + UNHURRIED) + DOCUMENTS,
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
                session.prologue(Role.SERVICE) + LOG,
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
                session.prologue(Role.SERVICE) + LOGGED,
                to -> to.text("")
                        .time(time)
                        .time(time)
                        .text(after == null ? "" : after.table())
                        .number(limit),
                rows -> {
                    List<Cleanup> found = new ArrayList<>();
                    while (rows.next()) {
                        found.add(new Cleanup(rows.getString(1), rows.getLong(2), OnceRow.instant(rows, 3)));
                    }
                    return found;
                });
    }
}
