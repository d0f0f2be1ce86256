package dev.semel.postgres;

import java.util.ArrayList;
import java.util.List;

/**
 * The statement that checks and applies commits, as it has to be for those of a group: what none of them asks for is left out, since
 * even what has nothing to do takes time.
 *
 * <p>It is one statement, and so sees the database at one moment: after the locks of all rows were taken in the round trip's first
 * statement. Nobody writes a row without its lock, so what is checked here still holds when it is written here. A commit of the
 * group that does not hold writes nothing, and does not keep the others from it.
 *
 * @param alone whether it waits for its locks; a group waits for nothing but the one of places, which is held for a moment, and
 *     tells which of its commits could not have theirs
 * @param once whether a commit has a once-record
 * @param commits how many commits there are; these and the following numbers are {@linkplain RowSource#shape shapes}
 * @param receipts whether a commit has none, but writes
 * @param looked documents that are looked at
 * @param quota whether new keys are counted
 * @param puts documents that are written
 * @param places whether one of them wants a place
 * @param deletes documents that are removed
 * @param further further keys that are written
 * @param furtherDeletes further keys that are removed
 */
record CommitSql(
        boolean alone,
        boolean once,
        int commits,
        boolean receipts,
        int looked,
        boolean quota,
        int puts,
        boolean places,
        int deletes,
        int further,
        int furtherDeletes) {

    static final RowSource LOOKED =
            RowSource.of("i int8", "n int8", "collection text", "owner text", "key text", "writer text");
    static final RowSource COMMITS = RowSource.of("i int8", "attempt text", "writes bool", "wants_place bool");
    static final RowSource ONCE_COMMITS = OnceRow.WRITTEN.with(
            "i int8",
            "attempt text",
            "writes bool",
            "wants_place bool",
            "attempts int8",
            "fence int8",
            "created_at timestamptz",
            "is_new bool",
            "expected_fence int8",
            "expected_status text",
            "expected_deadline timestamptz",
            "quota_limit int8",
            "quota_window int8");
    static final RowSource PUTS = DocumentRow.WRITTEN.with("i int8", "wants_place bool");
    static final RowSource DELETES = RowSource.of("i int8", "collection text", "owner text", "key text");
    static final RowSource FURTHER = RowSource.of(
            "i int8",
            "collection text",
            "owner text",
            "key text",
            "name text",
            "further_key text",
            "placed bool",
            "n int8");
    static final RowSource FURTHER_DELETES =
            RowSource.of("i int8", "collection text", "owner text", "name text", "further_key text");

    /** It was applied. */
    static final int APPLIED = 0;

    /** It had been applied before. */
    static final int APPLIED_BEFORE = 1;

    /** The once-record stands otherwise. */
    static final int ONCE_CHANGED = 2;

    /** A document is not as it has to be. */
    static final int STALE = 3;

    /** The user has begun too many keys. */
    static final int LIMITED = 4;

    /** Somebody else has a row, or counts the keys of the user. */
    static final int BUSY = 5;

    static final String TRY_LOCKS = ", set_config('semel.busy', coalesce((select string_agg(distinct l.i::text, ',')"
            + " from unnest(?::int8[], ?::int8[]) l(i, k) where not pg_try_advisory_xact_lock(l.k)), ''), true)";
    static final String WAIT_FOR_LOCKS = ", (select count(pg_advisory_xact_lock(k)) from unnest(?::int8[]) k)";

    /** All but those by which a once-record is known. */
    static final List<String> ONCE_COLUMNS = List.of(
            "client_tx_id",
            "payload_hash",
            "response_payload",
            "status",
            "created_at",
            "expires_at",
            "lease_until",
            "forgotten_at",
            "if_abandoned",
            "attempts",
            "attempt_id",
            "fence",
            "response_status",
            "response_kind",
            "response_headers",
            "response_body");

    /** What takes the locks, at the end of the first statement; its parameters come behind the users. */
    String locking() {
        return alone ? WAIT_FOR_LOCKS : TRY_LOCKS + WAIT_FOR_LOCKS;
    }

    /** The second statement. Returns a row for each commit: its number, code, now, fence, creation, deadline, stale one, its version, wait. */
    String text() {
        List<String> parts = new ArrayList<>();
        parts.add("t as materialized (select coalesce(?::timestamptz, clock_timestamp()) as now)");
        if (looked > 0) {
            parts.add(lookedAt());
            parts.add("stale as materialized"
                    + " (select distinct on (i) i, n, version from looked where not as_expected order by i, n)");
        }
        parts.add(checked());
        if (quota) {
            parts.add(counted());
        }
        parts.add(stamped());
        if (once) {
            parts.add(onceWritten());
        }
        if (receipts) {
            parts.add("receipted as (insert into receipts (attempt_id, created_at)"
                    + " select attempt, now from w where code = 0 and writes" + (once ? " and id is null)" : ")"));
        }
        if (puts + deletes + further + furtherDeletes > 0) {
            parts.add(
                    "v as materialized (select array_agg(code order by i) as codes, array_agg(place order by i) as places"
                            + " from w)");
        }
        if (puts > 0) {
            parts.add(documentsWritten());
        }
        if (deletes > 0) {
            parts.add(documentsRemoved());
        }
        if (further > 0) {
            parts.add(furtherKeysWritten());
        }
        if (further > 0 && places) {
            parts.add(furtherKeysLeftBehind());
        }
        if (furtherDeletes > 0) {
            parts.add(furtherKeysRemoved());
        }
        return "with " + String.join(", ", parts)
                + " select i, code, now, new_fence, new_created_at, deadline, stale, stale_version, wait"
                + (places ? notified() : "") + " from w";
    }

    /** Wakes who listens, when this is committed; without a place nobody is woken. */
    private static String notified() {
        return ", (select count(pg_notify('" + Listening.CHANNEL
                + "', '')) from (select from w where place > 0 limit 1) p)";
    }

    private String lookedAt() {
        return "looked as materialized (select d.i, d.n, case when x.live then x.version else 0 end as version, x.place,"
                + " (d.writer is null or d.writer = case when x.live then x.written_by else '' end) as as_expected"
                + " from t cross join " + LOOKED.sql("d", looked)
                + " left join lateral (select k.version, k.written_by, k.place,"
                + " (k.expires_at is null or k.expires_at > t.now) as live from documents k"
                + " where k.collection = d.collection and k.owner = d.owner and k.key = d.key limit 1) x on true)";
    }

    private String checked() {
        StringBuilder sql = new StringBuilder("c as materialized (select t.now, o.*");
        sql.append(once ? ", e.fence as e_fence, e.created_at as e_created_at, e.deadline as e_deadline" : "");
        sql.append(looked > 0 ? ", s.n as stale, s.version as stale_version" : ", 0 as stale, 0 as stale_version");
        sql.append(", case");
        if (!alone) {
            sql.append(" when o.i = any ((select string_to_array(current_setting('semel.busy'), ','))::int8[]) then ")
                    .append(BUSY);
        }
        if (once) {
            sql.append(" when e.attempt_id = o.attempt then ").append(APPLIED_BEFORE);
        }
        if (receipts) {
            sql.append(" when r.given then ").append(APPLIED_BEFORE);
        }
        if (once) {
            sql.append(" when o.id is not null and not case when e.fence is null then o.expected_fence = 0 else"
                            + " e.fence = o.expected_fence and e.status = coalesce(o.expected_status, '')"
                            + " and (o.expected_deadline is null or o.expected_deadline is not distinct from e.deadline)"
                            + " end then ")
                    .append(ONCE_CHANGED);
        }
        if (looked > 0) {
            sql.append(" when s.n is not null then ").append(STALE);
        }
        sql.append(" when true then ").append(APPLIED).append(" end as code");
        sql.append(" from t cross join ").append((once ? ONCE_COMMITS : COMMITS).sql("o", commits));
        if (once) {
            // by the id alone, so that no other index seems as good while the table is small
            sql.append(" left join lateral (select k.fence, k.status, k.attempt_id, k.created_at,"
                    + " coalesce(k.lease_until, k.expires_at) as deadline, k.user_id, k.endpoint, k.idempotency_key"
                    + " from idempotency_keys k where k.id = o.id limit 1) e on e.user_id = o.user_id"
                    + " and e.endpoint = o.endpoint and e.idempotency_key = o.idempotency_key");
        }
        if (receipts) {
            sql.append(" left join lateral (select true as given from receipts k where k.attempt_id = o.attempt")
                    .append(once ? " and o.id is null" : "")
                    .append(" limit 1) r on true");
        }
        sql.append(looked > 0 ? " left join stale s on s.i = o.i)" : ")");
        return sql.toString();
    }

    /** New keys of a user that come before in the group count too. The one that has to leave first is as many back as the limit. */
    private static String counted() {
        return "q as materialized (select n.*, case when n.counts and n.rank > n.quota_limit then n.quota_window"
                + " when b.created_at is not null then least(n.quota_window,"
                + " (extract(epoch from b.created_at - n.now) * 1000000)::int8 + n.quota_window) end as wait"
                + " from (select m.*, row_number() over (partition by m.user_id, m.counts order by m.i) as rank"
                + " from (select c.*, c.code = 0 and c.is_new and c.quota_limit > 0 as counts from c) m) n"
                + " left join lateral (select k.created_at from semel_starts k where n.counts and k.user_id = n.user_id"
                + " and k.created_at > n.now - n.quota_window * interval '1 microsecond'"
                + " order by k.created_at desc offset greatest(n.quota_limit - n.rank, 0) limit 1) b on true)";
    }

    private String stamped() {
        String from = quota
                ? "(select q.*, case when q.wait is null then q.code else " + LIMITED + " end as code_now from q) s"
                : "(select c.*, null::int8 as wait, c.code as code_now from c) s";
        String columns = once
                ? "s.id, s.user_id, s.endpoint, s.idempotency_key, s.client_tx_id, s.payload_hash, s.status, s.if_abandoned,"
                        + " s.expires_in, s.leased_for, s.forgotten_in, s.attempts, s.response_status, s.response_kind,"
                        + " s.response_headers, s.response_body, s.response_payload,"
                        + " case when s.code_now > 0 then s.e_fence when s.id is null then null"
                        + " when s.fence = 0 then nextval('semel_fences') else s.fence end as new_fence,"
                        + " case when s.code_now > 0 then s.e_created_at when s.is_new then s.now else s.created_at end"
                        + " as new_created_at,"
                        + " case when s.code_now > 0 then s.e_deadline"
                        + " else s.now + coalesce(s.expires_in, s.leased_for) * interval '1 microsecond' end as deadline, "
                : "null::int8 as new_fence, null::timestamptz as new_created_at, null::timestamptz as deadline, ";
        return "w as materialized (select s.i, s.now, s.attempt, s.writes, s.stale, s.stale_version, s.wait, "
                + columns
                + (places
                        ? "case when s.code_now = 0 and s.wants_place then nextval('semel_places') else 0 end as place, "
                        : "0 as place, ")
                + "s.code_now as code from " + from + ")";
    }

    private static String onceWritten() {
        return "onced as (insert into idempotency_keys as k (id, user_id, endpoint, idempotency_key, "
                + String.join(", ", ONCE_COLUMNS)
                + ") select id, user_id, endpoint, idempotency_key, client_tx_id, payload_hash,"
                + " case when pg_input_is_valid(response_payload, 'jsonb') then response_payload::jsonb end, status, new_created_at,"
                + " now + expires_in * interval '1 microsecond', now + leased_for * interval '1 microsecond',"
                + " now + forgotten_in * interval '1 microsecond', if_abandoned, attempts, attempt, new_fence,"
                + " response_status, response_kind, response_headers, response_body"
                + " from w where code = 0 and id is not null" + onConflictReplace() + ")";
    }

    /** What makes an insert replace the once-record that is there. */
    static String onConflictReplace() {
        StringBuilder update = new StringBuilder();
        ONCE_COLUMNS.forEach(column ->
                update.append(column).append(" = excluded.").append(column).append(", "));
        // Two keys with one id have never been seen; should there be any, the second fails rather than replace the
        // first.
        return " on conflict (id) do update set " + update
                + "user_id = case when k.user_id = excluded.user_id and k.endpoint = excluded.endpoint"
                + " and k.idempotency_key = excluded.idempotency_key then k.user_id end";
    }

    private String documentsWritten() {
        return "written as (insert into documents as k (collection, owner, key, version, created_at, updated_at, expires_at,"
                + " written_by, data, place, found_by)"
                + " select p.collection, p.owner, p.key, p.version, p.created_at, p.updated_at, p.expires_at, p.written_by, p.data,"
                + " case when p.wants_place then v.places[p.i] else p.place end,"
                + " case when p.wants_place then replace(p.found_by, chr(1), semel_place_text(v.places[p.i])) else p.found_by end"
                + " from v cross join " + PUTS.sql("p", puts)
                + " where v.codes[p.i] = 0 on conflict (collection, owner, key) do update set version = excluded.version,"
                + " created_at = excluded.created_at, updated_at = excluded.updated_at, expires_at = excluded.expires_at,"
                + " written_by = excluded.written_by, data = excluded.data, place = excluded.place,"
                + " found_by = excluded.found_by)";
    }

    private String documentsRemoved() {
        return "removed as (delete from documents z using (select y.tid from v cross join " + DELETES.sql("x", deletes)
                + " cross join lateral (select k.ctid as tid from documents k where k.collection = x.collection"
                + " and k.owner = x.owner and k.key = x.key limit 1) y where v.codes[x.i] = 0) g where z.ctid = g.tid)";
    }

    private String furtherKeysWritten() {
        String key = places
                ? "f.further_key || case when f.placed then semel_place_text(v.places[f.i]) else '' end"
                : "f.further_key";
        return "f as materialized (select f.* from " + FURTHER.sql("f", further) + "),"
                + " led as (insert into further_keys as k (collection, owner, name, further_key, key)"
                + " select f.collection, f.owner, f.name, " + key + ", f.key from v cross join f where v.codes[f.i] = 0"
                + " on conflict (collection, owner, name, further_key) do update set key = excluded.key"
                + " where k.key <> excluded.key)";
    }

    /** A document that is past its time may be there still, and found at another place. */
    private static String furtherKeysLeftBehind() {
        return "left_behind as (delete from further_keys z using (select y.tid from v cross join f join looked l on l.n = f.n"
                + " cross join lateral (select k.ctid as tid from further_keys k where k.collection = f.collection"
                + " and k.owner = f.owner and k.name = f.name and k.further_key = f.further_key || semel_place_text(l.place)"
                + " limit 1) y where f.placed and l.place > 0 and v.codes[f.i] = 0) g where z.ctid = g.tid)";
    }

    private String furtherKeysRemoved() {
        return "unled as (delete from further_keys z using (select y.tid from v cross join "
                + FURTHER_DELETES.sql("x", furtherDeletes)
                + " cross join lateral (select k.ctid as tid from further_keys k where k.collection = x.collection"
                + " and k.owner = x.owner and k.name = x.name and k.further_key = x.further_key limit 1) y"
                + " where v.codes[x.i] = 0) g where z.ctid = g.tid)";
    }
}
