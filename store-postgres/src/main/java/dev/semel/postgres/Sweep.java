package dev.semel.postgres;

import dev.semel.postgres.Session.Role;
import dev.semel.store.DocumentId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Removes what is past its time, a few rows to a transaction, as the role {@code semel_service}. Rows that somebody is at are left for
 * the next time; any number of servers may sweep at once.
 */
final class Sweep {

    /** So few that nobody waits for long, and so many that a transaction is worth it. */
    private static final int ROWS_AT_A_TIME = 500;

    /** As many locks as a transaction may hold without thinking of those of others. */
    private static final int LOCKS_AT_A_TIME = 100;

    private static final String NOW = "(select coalesce(?::timestamptz, clock_timestamp()))";

    /**
     * A key that ended soon is kept for an hour all the same: until then it counts among the user's new ones. A commit that is just
     * taking over such a row writes it anew, whether it is still there or not.
     */
    private static final String KEYS = "with gone as (delete from idempotency_keys z using (select k.ctid as tid"
            + " from idempotency_keys k where k.status in ('completed', 'failed') and k.expires_at <= " + NOW
            + " and k.created_at <= " + NOW + " - interval '1 hour'"
            + " order by k.expires_at limit " + ROWS_AT_A_TIME
            + " for update skip locked) g where z.ctid = g.tid returning 1)"
            + " select count(*) from gone";

    /** It is remembered for ten minutes which commits were applied, for those who ask again. */
    private static final String RECEIPTS =
            "with gone as (delete from receipts z using (select k.ctid as tid from receipts k"
                    + " where k.created_at < " + NOW + " - interval '10 minutes' order by k.created_at limit "
                    + ROWS_AT_A_TIME
                    + " for update skip locked) g where z.ctid = g.tid returning 1) select count(*) from gone";

    private static final String EXPIRED = "select d.collection, d.owner, d.key from documents d where d.expires_at <= "
            + NOW + " order by d.expires_at offset ? limit " + LOCKS_AT_A_TIME;

    private static final String DOCUMENTS = "with gone as (delete from documents z using (select y.tid"
            + " from unnest(?::text[], ?::text[], ?::text[]) with ordinality x(collection, owner, key, i)"
            + " cross join lateral (select k.ctid as tid from documents k where k.collection = x.collection and k.owner = x.owner"
            + " and k.key = x.key and k.expires_at <= " + NOW + " limit 1) y"
            + " where x.i <> all ((select string_to_array(current_setting('semel.busy'), ','))::int8[])) g"
            + " where z.ctid = g.tid returning z.collection, z.owner, z.found_by),"
            + " unled as (delete from further_keys z using (select y.tid from gone"
            + " cross join lateral string_to_table(gone.found_by, E'\\n') line"
            + " cross join lateral (select k.ctid as tid from further_keys k where k.collection = gone.collection"
            + " and k.owner = gone.owner and k.name = split_part(line, E'\\t', 1)"
            + " and k.further_key = split_part(line, E'\\t', 2) limit 1) y) g where z.ctid = g.tid)"
            + " select count(*) from gone";

    private static final String LOG = "with told as (insert into cleanup_logs (table_name, deleted_count, cleanup_time)"
            + " select l.table_name, l.deleted_count, " + NOW
            + " from unnest(?::text[], ?::int8[]) l(table_name, deleted_count) returning 1) select count(*) from told";

    private final Session session;

    Sweep(Session session) {
        this.session = session;
    }

    /** @param now what time it is; null if the database is to say */
    long run(@Nullable Instant now) {
        long keys = removeAll(KEYS, 2, now);
        long documents = removeDocuments(now);
        long receipts = removeAll(RECEIPTS, 1, now);
        session.run(
                session.prologue(Role.SERVICE) + LOG,
                to -> to.text("")
                        .time(now)
                        .texts(List.of("idempotency_keys", "documents", "receipts"))
                        .numbers(List.of(keys, documents, receipts)),
                rows -> rows.next());
        return keys + documents + receipts;
    }

    private long removeAll(String sql, int times, @Nullable Instant now) {
        long all = 0;
        long removed;
        do {
            removed = session.run(
                    session.prologue(Role.SERVICE) + sql,
                    to -> {
                        to.text("");
                        for (int i = 0; i < times; i++) {
                            to.time(now);
                        }
                    },
                    rows -> rows.next() ? rows.getLong(1) : 0);
            all += removed;
        } while (removed == ROWS_AT_A_TIME);
        return all;
    }

    private long removeDocuments(@Nullable Instant now) {
        long all = 0;
        long skipped = 0;
        while (true) {
            List<DocumentId> expired = expired(now, skipped);
            if (expired.isEmpty()) {
                return all;
            }
            long removed = remove(expired, now);
            all += removed;
            skipped += expired.size() - removed;
        }
    }

    private List<DocumentId> expired(@Nullable Instant now, long skipped) {
        return session.run(
                session.prologue(Role.SERVICE) + EXPIRED,
                to -> to.text("").time(now).number(skipped),
                rows -> {
                    List<DocumentId> ids = new ArrayList<>();
                    while (rows.next()) {
                        ids.add(new DocumentId(rows.getString(1), rows.getString(2), rows.getString(3)));
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
                session.prologue(Role.SERVICE, CommitSql.TRY_LOCKS) + DOCUMENTS,
                to -> to.text("")
                        .numbers(numbers)
                        .numbers(locks)
                        .texts(ids.stream().map(DocumentId::collection).toList())
                        .texts(ids.stream().map(DocumentId::owner).toList())
                        .texts(ids.stream().map(DocumentId::key).toList())
                        .time(now),
                rows -> rows.next() ? rows.getLong(1) : 0);
    }
}
