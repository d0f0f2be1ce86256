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
        keys.add(KeyInsert.values(id, pending.commit.attempt(), write));
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
        return session.runAll(session.prologue(Session.Role.APP, LOCK) + sql(now), to -> bind(to, now), this::read);
    }

    private String sql(@Nullable Instant now) {
        StringBuilder sql = new StringBuilder();
        if (!counted.isEmpty()) {
            sql.append("select ")
                    .append(KeySql.require(
                            "not exists (select from (select coalesce(?::timestamptz, clock_timestamp()) as now"
                                    + " offset 0) t cross join " + COUNTED.sql("u", RowSource.shape(counted.size()))
                                    + " cross join lateral (select from semel_starts k where k.user_id = u.user_id"
                                    + " and k.created_at > t.now - u.micros * interval '1 microsecond'"
                                    + " order by k.created_at desc offset u.room limit 1) x)"))
                    .append("; ");
        }
        sql.append(KeyInsert.sql(RowSource.shape(keys.size()), now))
                .append(" returning k.id, k.fence, k.created_at, coalesce(k.lease_until, k.expires_at)");
        if (!documents.isEmpty()) {
            sql.append("; insert into documents (" + String.join(", ", DocumentRow.WRITTEN.names()) + ") ")
                    .append(DocumentRow.WRITTEN.inserted("d", RowSource.shape(documents.size())));
        }
        if (!furtherKeys.isEmpty()) {
            sql.append("; insert into further_keys (" + String.join(", ", FURTHER_KEYS.names()) + ") ")
                    .append(FURTHER_KEYS.inserted("f", RowSource.shape(furtherKeys.size())));
        }
        return sql.toString();
    }

    private void bind(Parameters to, @Nullable Instant now) throws SQLException {
        to.text(String.join(",", users)).numbers(List.copyOf(locks));
        if (!counted.isEmpty()) {
            to.time(now);
            COUNTED.bind(to, List.copyOf(counted.values()));
        }
        KeyInsert.bind(to, keys);
        DocumentRow.WRITTEN.bind(to, documents);
        FURTHER_KEYS.bind(to, furtherKeys);
    }

    private Instant read(Session.Results results) throws SQLException {
        results.next();
        if (!counted.isEmpty()) {
            results.next();
        }
        ResultSet rows = results.next();
        Instant now = Instant.EPOCH;
        while (rows.next()) {
            now = OnceRow.instant(rows, 3);
            PendingCommit pending = Objects.requireNonNull(byId.get(rows.getString(1)));
            pending.complete(new CommitResult.Applied(OnceRow.written(pending.commit, rows, 2)));
        }
        return now;
    }
}
