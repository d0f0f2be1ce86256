package dev.semel.postgres;

import dev.semel.store.StoreException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Builds the statement that checks and applies the commits of a group. Parts that no commit needs are left out, because an empty part takes
 * time, too.
 *
 * <p>It is one statement and has one snapshot, taken after the locks. Rows are written only under their locks, so a precondition that was
 * checked still holds when the statement writes. A commit whose precondition does not hold writes nothing; the others are applied.
 *
 * @param alone whether to wait for the locks of rows and users; otherwise a commit that lacks one is {@link #BUSY}
 * @param starts whether the commit is alone and starts a run; then it is rejected if a caller-managed transaction has claimed its key
 * @param records whether a commit has an idempotency record
 * @param commits the number of commits; this and the other numbers are {@linkplain RowSource#shape shapes}
 * @param logged whether a commit without an idempotency record writes
 * @param looks the number of documents to look up
 * @param quota whether new keys are counted
 * @param puts the number of documents to write
 * @param sequenced whether one of them needs a commit sequence number
 * @param notifies whether a commit notifies watchers without a commit sequence number
 * @param deletes the number of documents to delete
 * @param entryPuts the number of index entries to write
 * @param entryDeletes the number of index entries to delete
 */
record CommitSql(
        boolean alone,
        boolean starts,
        boolean records,
        int commits,
        boolean logged,
        int looks,
        boolean quota,
        int puts,
        boolean sequenced,
        boolean notifies,
        int deletes,
        int entryPuts,
        int entryDeletes) {

    static final RowSource LOOKS = RowSource.of(
            "commit_no int8", "look_no int8", "collection text", "owner text", "key text", "commit_id text");
    static final RowSource COMMITS =
            RowSource.of("commit_id text", "commit_no int8", "writes bool", "needs_sequence bool");
    static final RowSource RECORD_COMMITS = RecordInsert.ROWS.with(
            "commit_no int8",
            "writes bool",
            "needs_sequence bool",
            "is_new bool",
            "fencing_token int8",
            "expected_token int8",
            "expected_status int8",
            "expected_deadline timestamptz",
            "quota_limit int8",
            "quota_window int8");
    static final RowSource PUTS = DocumentRow.WRITTEN.with("commit_no int8", "needs_sequence bool");
    static final RowSource DELETES = RowSource.of("commit_no int8", "collection text", "owner text", "key text");
    static final RowSource ENTRY_PUTS = RowSource.of(
            "commit_no int8",
            "collection text",
            "owner text",
            "key text",
            "index_name text",
            "index_key text",
            "sequenced bool",
            "look_no int8");
    static final RowSource ENTRY_DELETES =
            RowSource.of("commit_no int8", "collection text", "owner text", "index_name text", "index_key text");

    /** The commit was applied. */
    static final int APPLIED = 0;

    /** The commit was applied earlier; it is sent again. */
    static final int APPLIED_BEFORE = 1;

    /** The idempotency record does not match its precondition. */
    static final int RECORD_CONFLICT = 2;

    /** A document does not match its precondition. */
    static final int DOCUMENT_CONFLICT = 3;

    /** The user has reached the quota. */
    static final int QUOTA_EXCEEDED = 4;

    /** Another transaction holds a lock that the commit needs. */
    static final int BUSY = 5;

    static final String TRY_LOCKS = ", set_config('semel.busy', coalesce((select string_agg(distinct l.no::text, ',')"
            + " from unnest(?::int8[], ?::int8[]) l(no, k) where not " + lock("pg_try_advisory_xact_lock", "l.k")
            + "), ''), true)";
    static final String WAIT_FOR_LOCKS =
            ", (select count(" + lock("pg_advisory_xact_lock", "k") + ") from unnest(?::int8[]) k)";

    private static final String UNLESS_CLAIMED = ", " + CallerSql.require("pg_try_advisory_xact_lock_shared(?)");

    /** Returns an expression that takes a lock: an odd number stands for the shared mode of the lock before it. */
    static String lock(String function, String number) {
        return "case when " + number + " & 1 = 0 then " + function + "(" + number + ") else " + function + "_shared("
                + number + " - 1) end";
    }

    /** Returns the expressions of the first statement that take the locks. Their parameters follow the users. */
    String locking() {
        return (starts ? UNLESS_CLAIMED : "") + (alone ? "" : TRY_LOCKS) + WAIT_FOR_LOCKS;
    }

    /** Whether a commit was rejected because a caller-managed transaction has claimed its key. */
    static boolean isClaimed(StoreException e) {
        return e.getCause() instanceof SQLException failure && CallerSql.NOT_SO.equals(failure.getSQLState());
    }

    /**
     * Returns the second statement. It selects for each commit: number, code, time, fencing token, creation, deadline, number of the
     * conflicting document, its version, and the wait for the quota.
     */
    String text() {
        List<String> parts = new ArrayList<>();
        parts.add("clock as materialized (select coalesce(?::timestamptz, clock_timestamp()) as now)");
        if (looks > 0) {
            parts.add(lookedUp());
            parts.add("""
                    conflicts as materialized (
                      select distinct on (commit_no) commit_no, look_no, version from looked_up
                      where not as_expected order by commit_no, look_no)""");
        }
        parts.add(checked());
        if (quota) {
            parts.add(counted());
        }
        parts.add(decided());
        if (records) {
            parts.add("record_written as ("
                    + RecordInsert.select("decided d where d.code = 0 and d.id is not null")
                    + RecordInsert.onConflictReplace("excluded.fencing_token") + ")");
        }
        if (logged) {
            parts.add("commit_logged as (insert into {schema}.commit_log (commit_id, created_at)"
                    + " select commit_id, now from decided where code = 0 and writes"
                    + (records ? " and id is null)" : ")"));
        }
        if (puts + deletes + entryPuts + entryDeletes > 0) {
            parts.add("""
                    decisions as materialized (
                      select array_agg(code order by commit_no) as codes, array_agg(sequence order by commit_no) as sequences
                      from decided)""");
        }
        if (puts > 0) {
            parts.add(documentsWritten());
        }
        if (deletes > 0) {
            parts.add(documentsDeleted());
        }
        if (entryPuts > 0) {
            parts.add(entriesWritten());
        }
        if (entryPuts > 0 && sequenced) {
            parts.add(oldEntriesDeleted());
        }
        if (entryDeletes > 0) {
            parts.add(entriesDeleted());
        }
        return "with " + String.join(", ", parts)
                + " select commit_no, code, now, result_token, result_created_at, result_deadline, conflict_no,"
                + " conflict_version, wait" + (sequenced || notifies ? notified() : "") + " from decided";
    }

    /** Notifies listeners, at the COMMIT, if a commit got a sequence number, or if one was applied in a group that notifies. */
    private String notified() {
        return ", (select count(pg_notify('" + CommitNotifications.CHANNEL + "', '')) from (select from decided where "
                + (notifies ? "code = " + APPLIED : "sequence > 0") + " limit 1) s)";
    }

    private String lookedUp() {
        return """
                looked_up as materialized (
                  select d.commit_no, d.look_no, case when x.live then x.version else 0 end as version, x.sequence,
                    (d.commit_id is null or d.commit_id = case when x.live then x.commit_id else '' end) as as_expected
                  from clock cross join %s
                  left join lateral (
                    select k.version, k.commit_id, k.sequence, (k.expires_at is null or k.expires_at > clock.now) as live
                    from {schema}.documents k
                    where k.collection = d.collection and k.owner = d.owner and k.key = d.key limit 1) x on true)""".formatted(LOOKS.sql("d", looks));
    }

    private String checked() {
        StringBuilder sql = new StringBuilder("checked as materialized (select clock.now, c.*");
        sql.append(
                records
                        ? ", e.fencing_token as found_token, e.created_at as found_created_at, e.deadline as found_deadline"
                        : "");
        sql.append(
                looks > 0
                        ? ", x.look_no as conflict_no, x.version as conflict_version"
                        : ", 0 as conflict_no, 0 as conflict_version");
        sql.append(", case");
        if (!alone) {
            when(sql, "c.commit_no = any ((select string_to_array(current_setting('semel.busy'), ','))::int8[])", BUSY);
        }
        if (records) {
            when(sql, "e.commit_id = c.commit_id", APPLIED_BEFORE);
        }
        if (logged) {
            when(sql, "l.found", APPLIED_BEFORE);
        }
        if (records) {
            when(sql, """
                    c.id is not null and not case when e.fencing_token is null then c.expected_token = 0
                      else e.fencing_token = c.expected_token and e.status = coalesce(c.expected_status, 0)
                      and (c.expected_deadline is null or c.expected_deadline is not distinct from e.deadline) end""", RECORD_CONFLICT);
        }
        if (looks > 0) {
            when(sql, "x.look_no is not null", DOCUMENT_CONFLICT);
        }
        when(sql, "true", APPLIED);
        sql.append(" end as code from clock cross join ")
                .append((records ? RECORD_COMMITS : COMMITS).sql("c", commits));
        if (records) {
            // by the id only, or else the planner may choose another index while the table is small
            sql.append("""
                     left join lateral (
                      select k.fencing_token, k.status, k.commit_id, k.created_at, k.deadline,
                        k.user_id, k.endpoint, k.idempotency_key
                      from {schema}.idempotency_records k where k.id = c.id limit 1) e
                      on e.user_id = c.user_id and e.endpoint = c.endpoint and e.idempotency_key = c.idempotency_key""");
        }
        if (logged) {
            sql.append(
                            " left join lateral (select true as found from {schema}.commit_log k where k.commit_id = c.commit_id")
                    .append(records ? " and c.id is null" : "")
                    .append(" limit 1) l on true");
        }
        return sql.append(looks > 0 ? " left join conflicts x on x.commit_no = c.commit_no)" : ")")
                .toString();
    }

    private static void when(StringBuilder sql, String condition, int code) {
        sql.append(" when ").append(condition).append(" then ").append(code);
    }

    /** Counts new keys of the same user earlier in the group, too. The wait is until the oldest start that counts leaves the window. */
    private static String counted() {
        return """
                counted as materialized (
                  select n.*, case when n.counts and n.rank > n.quota_limit then n.quota_window
                    when b.created_at is not null then %s end as wait
                  from (
                    select m.*, row_number() over (partition by m.user_id, m.counts order by m.commit_no) as rank
                    from (select c.*, c.code = 0 and c.is_new and c.quota_limit > 0 as counts from checked c) m) n
                  left join lateral (%s) b on n.counts)""".formatted(
                        QuotaSql.wait("b.created_at", "n.now", "n.quota_window"),
                        QuotaSql.start("n.user_id", "n.now", "n.quota_window", "greatest(n.quota_limit - n.rank, 0)"));
    }

    /** Decides on each commit. Only here is a commit sequence number taken. */
    private String decided() {
        String from = quota
                ? "(select q.*, case when q.wait is null then q.code else " + QUOTA_EXCEEDED
                        + " end as final_code from counted q) c"
                : "(select q.*, null::int8 as wait, q.code as final_code from checked q) c";
        String row = records
                ? String.join(
                                ", ",
                                RecordInsert.ROWS.names().stream()
                                        .map(name -> "c." + name)
                                        .toList())
                        + ", t.token as new_fencing_token, case when c.final_code > 0 then c.found_token else t.token end"
                        + " as result_token, case when c.final_code > 0 then c.found_created_at"
                        + " else coalesce(c.created_at, c.now) end as result_created_at,"
                        + " case when c.final_code > 0 then c.found_deadline"
                        + " else c.now + c.ttl * interval '1 microsecond' end as result_deadline"
                : "c.commit_id, null::int8 as result_token, null::timestamptz as result_created_at,"
                        + " null::timestamptz as result_deadline";
        String token = " cross join lateral (select case when c.id is null then null when c.fencing_token <> 0 then"
                + " c.fencing_token else greatest(coalesce(c.found_token, 0) + 1, " + RecordInsert.micros("c.now")
                + ") end as token) t";
        return "decided as materialized (select c.commit_no, c.now, c.writes, c.conflict_no, c.conflict_version, c.wait, "
                + row
                + (sequenced
                        ? ", case when c.final_code = 0 and c.needs_sequence then nextval('{schema}.commit_sequence') else 0 end"
                        : ", 0")
                + " as sequence, c.final_code as code from " + from + (records ? token : "") + ")";
    }

    private String documentsWritten() {
        return """
                documents_written as (
                  insert into {schema}.documents as k (collection, owner, key, version, created_at, updated_at, expires_at,
                    commit_id, data, sequence, index_entries)
                  select p.collection, p.owner, p.key, p.version, p.created_at, p.updated_at, p.expires_at, p.commit_id, p.data,
                    case when p.needs_sequence then v.sequences[p.commit_no] else p.sequence end,
                    case when p.needs_sequence
                      then replace(p.index_entries, chr(1), {schema}.sequence_text(v.sequences[p.commit_no]))
                      else p.index_entries end
                  from decisions v cross join %s where v.codes[p.commit_no] = 0
                  on conflict (collection, owner, key) do update set version = excluded.version,
                    created_at = excluded.created_at, updated_at = excluded.updated_at, expires_at = excluded.expires_at,
                    commit_id = excluded.commit_id, data = excluded.data, sequence = excluded.sequence,
                    index_entries = excluded.index_entries)""".formatted(PUTS.sql("p", puts));
    }

    private String documentsDeleted() {
        return """
                documents_deleted as (
                  delete from {schema}.documents z using (
                    select y.row_id from decisions v cross join %s cross join lateral (
                      select k.ctid as row_id from {schema}.documents k
                      where k.collection = x.collection and k.owner = x.owner and k.key = x.key limit 1) y
                    where v.codes[x.commit_no] = 0) g
                  where z.ctid = g.row_id)""".formatted(DELETES.sql("x", deletes));
    }

    private String entriesWritten() {
        String key = sequenced
                ? "f.index_key || case when f.sequenced then {schema}.sequence_text(v.sequences[f.commit_no]) else '' end"
                : "f.index_key";
        return """
                entries as materialized (select f.* from %s),
                entries_written as (
                  insert into {schema}.index_entries as k (collection, owner, index_name, index_key, key)
                  select f.collection, f.owner, f.index_name, %s, f.key from decisions v cross join entries f
                  where v.codes[f.commit_no] = 0
                  on conflict (collection, owner, index_name, index_key) do update set key = excluded.key
                  where k.key <> excluded.key)""".formatted(ENTRY_PUTS.sql("f", entryPuts), key);
    }

    /** Deletes the index entries of an expired document that is replaced, whose keys end with its own sequence number. */
    private static String oldEntriesDeleted() {
        return """
                old_entries_deleted as (
                  delete from {schema}.index_entries z using (
                    select y.row_id from decisions v cross join entries f join looked_up l on l.look_no = f.look_no
                    cross join lateral (
                      select k.ctid as row_id from {schema}.index_entries k
                      where k.collection = f.collection and k.owner = f.owner and k.index_name = f.index_name
                      and k.index_key = f.index_key || {schema}.sequence_text(l.sequence) limit 1) y
                    where f.sequenced and l.sequence > 0 and v.codes[f.commit_no] = 0) g
                  where z.ctid = g.row_id)""";
    }

    private String entriesDeleted() {
        return """
                entries_deleted as (
                  delete from {schema}.index_entries z using (
                    select y.row_id from decisions v cross join %s cross join lateral (
                      select k.ctid as row_id from {schema}.index_entries k
                      where k.collection = x.collection and k.owner = x.owner and k.index_name = x.index_name
                      and k.index_key = x.index_key limit 1) y
                    where v.codes[x.commit_no] = 0) g
                  where z.ctid = g.row_id)""".formatted(ENTRY_DELETES.sql("x", entryDeletes));
    }
}
