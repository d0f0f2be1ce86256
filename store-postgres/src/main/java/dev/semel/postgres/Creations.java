package dev.semel.postgres;

import static dev.semel.postgres.RowSource.row;

import dev.semel.store.CommitResult;
import dev.semel.store.DocumentId;
import dev.semel.store.DocumentWrite;
import dev.semel.store.FurtherKey;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceWrite;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Commits of new keys with new documents, as nearly all are: plain inserts, which cost half of what {@link CommitGroup} does. If a row
 * is there already, if somebody else is at one or counts a user's keys, or if a user may begin no more of them, the whole fails and nothing was done; and then a
 * {@code CommitGroup} finds out which of them it was.
 */
final class Creations {

    private static final RowSource KEYS = OnceRow.WRITTEN.with("attempt text");

    private static final RowSource FURTHER_KEYS =
            RowSource.of("collection text", "owner text", "name text", "further_key text", "key text");

    private static final RowSource COUNTED = RowSource.of("user_id text", "micros int8", "room int8");

    private static final String LOCK =
            ", " + KeySql.require("(select bool_and(pg_try_advisory_xact_lock(k)) from unnest(?::int8[]) k)");

    private final Map<String, PendingCommit> byId = new HashMap<>();
    private final TreeSet<String> users = new TreeSet<>();
    private final TreeSet<Long> locks = new TreeSet<>();
    private final TreeMap<String, List<@Nullable Object>> counted = new TreeMap<>();
    private final List<List<@Nullable Object>> keys = new ArrayList<>();
    private final List<List<@Nullable Object>> documents = new ArrayList<>();
    private final List<List<@Nullable Object>> furtherKeys = new ArrayList<>();

    /** @param commits all of them {@linkplain PendingCommit#isCreation creations} */
    Creations(List<PendingCommit> commits) {
        for (PendingCommit pending : commits) {
            pending.rows().forEach(row -> locks.add(row.lock()));
            addKey(pending, Objects.requireNonNull(pending.commit.once()));
            for (DocumentWrite write : pending.commit.writes()) {
                add((DocumentWrite.Put) write);
            }
        }
        users.remove("");
    }

    private void addKey(PendingCommit pending, OnceWrite write) {
        OnceRecord record = write.record();
        String user = record.key().user();
        RowId id = Objects.requireNonNull(pending.once);
        users.add(user);
        byId.put(id.uuid().toString(), pending);
        if (pending.isCounted()) {
            locks.add(RowId.ofUser(user).lock());
            List<@Nullable Object> before = counted.get(user);
            long room = before == null ? write.quota().limit() : (Long) Objects.requireNonNull(before.get(2));
            counted.put(user, row(user, CommitGroup.micros(write.quota().window()), room - 1));
        }
        List<@Nullable Object> row = new ArrayList<>(OnceRow.values(id, write));
        row.add(pending.commit.attempt());
        keys.add(row);
    }

    private void add(DocumentWrite.Put put) {
        DocumentId id = put.id();
        users.add(id.owner());
        documents.add(DocumentRow.values(put));
        for (FurtherKey key : put.furtherKeys()) {
            furtherKeys.add(row(id.collection(), id.owner(), key.name(), key.key(), id.key()));
        }
    }

    /** Whether there is room for all in their users' quotas, as far as these alone are concerned. */
    boolean mayFit() {
        return counted.values().stream().allMatch(row -> (Long) Objects.requireNonNull(row.get(2)) >= 0);
    }

    /**
     * Commits them all, and tells each.
     *
     * @param now what time it is; null if the database is to say
     * @return what time it was for the database
     */
    Instant run(Session session, @Nullable Instant now) {
        return session.run(
                session.prologue(Session.Role.APP, LOCK) + sql(),
                counted.isEmpty() ? 1 : 2,
                to -> bind(to, now),
                this::read);
    }

    private String sql() {
        StringBuilder sql = new StringBuilder();
        if (!counted.isEmpty()) {
            sql.append("select ")
                    .append(KeySql.require(
                            "not exists (select from (select coalesce(?::timestamptz, clock_timestamp()) as now"
                                    + " offset 0) t cross join " + COUNTED.sql("u", RowSource.shape(counted.size()))
                                    + " cross join lateral (select from idempotency_keys k where k.user_id = u.user_id"
                                    + " and k.created_at > t.now - u.micros * interval '1 microsecond'"
                                    + " order by k.created_at desc offset u.room limit 1) x)"))
                    .append("; ");
        }
        // The time makes it a query of its own, which is not taken apart: what may be JSON is looked at row by row.
        sql.append(
                        "insert into idempotency_keys as k (id, user_id, endpoint, idempotency_key, client_tx_id, payload_hash,"
                                + " status, if_abandoned, created_at, expires_at, lease_until, forgotten_at, attempts, attempt_id, fence,"
                                + " response_status, response_kind, response_headers, response_body, response_payload)"
                                + " select t.id, t.user_id, t.endpoint, t.idempotency_key, t.client_tx_id, t.payload_hash,"
                                + " t.status, t.if_abandoned, t.now,"
                                + " case when t.status <> 'processing' then t.now + t.life * interval '1 microsecond' end,"
                                + " case when t.status = 'processing' then t.now + t.life * interval '1 microsecond' end,"
                                + " t.now + (t.life + t.afterlife) * interval '1 microsecond',"
                                + " 1, t.attempt, nextval('semel_fences'), t.response_status, t.response_kind, t.response_headers,"
                                + " t.response_body,"
                                + " case when pg_input_is_valid(t.response_payload, 'jsonb') then t.response_payload::jsonb end"
                                + " from (select coalesce(?::timestamptz, clock_timestamp()) as now, o.* from ")
                .append(KEYS.sql("o", RowSource.shape(keys.size())))
                .append(") t returning k.id, k.fence, k.created_at, coalesce(k.lease_until, k.expires_at)");
        if (!documents.isEmpty()) {
            sql.append("; insert into documents (collection, owner, key, version, created_at, updated_at, expires_at,"
                            + " written_by, data, place, found_by) select * from ")
                    .append(DocumentRow.WRITTEN.sql("d", RowSource.shape(documents.size())));
        }
        if (!furtherKeys.isEmpty()) {
            sql.append("; insert into further_keys (collection, owner, name, further_key, key) select * from ")
                    .append(FURTHER_KEYS.sql("f", RowSource.shape(furtherKeys.size())));
        }
        return sql.toString();
    }

    private void bind(Parameters to, @Nullable Instant now) throws SQLException {
        to.text(String.join(",", users)).numbers(List.copyOf(locks));
        if (!counted.isEmpty()) {
            to.time(now);
            COUNTED.bind(to, List.copyOf(counted.values()));
        }
        to.time(now);
        KEYS.bind(to, keys);
        DocumentRow.WRITTEN.bind(to, documents);
        FURTHER_KEYS.bind(to, furtherKeys);
    }

    private Instant read(ResultSet rows) throws SQLException {
        Instant now = Instant.EPOCH;
        while (rows.next()) {
            now = OnceRow.instant(rows, 3);
            PendingCommit pending = Objects.requireNonNull(byId.get(rows.getString(1)));
            pending.complete(new CommitResult.Applied(OnceRow.written(pending.commit, rows, 2)));
        }
        return now;
    }
}
