package dev.semel.postgres;

import static dev.semel.postgres.RowSource.row;

import dev.semel.store.DocumentId;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.Commit.IndexEntry;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyWrite;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Commits of new keys with new documents, which are the most frequent. They are plain inserts, at half the cost of a {@link CommitGroup}.
 * If a row exists, a checked document has changed, a lock is taken or a quota is reached, the server rejects all of them, and a
 * {@code CommitGroup} determines the result of each.
 */
final class Creations {

    private static final RowSource CHECKED =
            RowSource.of("collection text", "owner text", "key text", "commit_id text");
    private static final RowSource ENTRIES =
            RowSource.of("collection text", "owner text", "index_name text", "index_key text", "key text");

    /** A separate statement, whose snapshot includes what the previous holders of the locks have committed. */
    private static final String UNCHANGED = "select bool_and(x.unchanged is true) from %s left join lateral (select"
            + " k.commit_id = c.commit_id and (k.expires_at is null or k.expires_at > coalesce(?::timestamptz, clock_timestamp()))"
            + " as unchanged from {schema}.documents k"
            + " where k.collection = c.collection and k.owner = c.owner and k.key = c.key limit 1) x on true";

    private static final String LOCK = ", "
            + CallerSql.require("(select bool_and(" + CommitSql.lock("pg_try_advisory_xact_lock", "k")
                    + ") from unnest(?::int8[]) k)");

    private final Map<String, PendingCommit> byId = new HashMap<>();
    private final TreeSet<String> users = new TreeSet<>();
    private final TreeSet<Long> locks = new TreeSet<>();
    private final TreeMap<String, List<@Nullable Object>> counted = new TreeMap<>();
    private final List<List<@Nullable Object>> records = new ArrayList<>();
    private final Set<List<@Nullable Object>> checked = new LinkedHashSet<>();
    private final List<List<@Nullable Object>> documents = new ArrayList<>();
    private final List<List<@Nullable Object>> indexEntries = new ArrayList<>();

    /** @param commits only {@linkplain PendingCommit#isCreation creations} */
    Creations(List<PendingCommit> commits, AdvisoryLocks numbers) {
        for (PendingCommit pending : commits) {
            locks.addAll(pending.locks(numbers));
            if (pending.isCounted()) {
                locks.add(numbers.of(pending.user()));
            }
            addKey(pending, Objects.requireNonNull(pending.commit.idempotencyWrite()));
            pending.commit.checkedOnly().forEach(id -> check(id, pending.commit));
            for (DocumentWrite write : pending.commit.writes()) {
                add((DocumentWrite.Put) write);
            }
        }
        users.remove("");
    }

    private void addKey(PendingCommit pending, IdempotencyWrite write) {
        IdempotencyRecord record = write.record();
        String user = record.key().user();
        RowId id = Objects.requireNonNull(pending.record);
        users.add(user);
        byId.put(id.uuid().toString(), pending);
        if (pending.isCounted()) {
            List<@Nullable Object> before = counted.get(user);
            long allowed = before == null ? write.quota().limit() : allowed(before);
            counted.put(user, row(0L, user, CommitGroup.micros(write.quota().window()), allowed - 1));
        }
        records.add(RecordInsert.row(id, pending.commit.id(), write));
    }

    /** Adds a document that must be unchanged. Many commits may check the same one. */
    private void check(DocumentId id, Commit commit) {
        users.add(id.owner());
        checked.add(row(
                id.collection(), id.owner(), id.key(), commit.preconditions().get(id)));
    }

    private void add(DocumentWrite.Put put) {
        DocumentId id = put.id();
        users.add(id.owner());
        documents.add(DocumentRow.values(put));
        for (IndexEntry entry : put.indexEntries()) {
            indexEntries.add(row(id.collection(), id.owner(), entry.index(), entry.key(), id.key()));
        }
    }

    /** Returns false if these commits alone exceed the quota of a user. */
    boolean mayFit() {
        return counted.values().stream().allMatch(row -> allowed(row) >= 0);
    }

    private static long allowed(List<@Nullable Object> row) {
        return (Long) Objects.requireNonNull(row.get(3));
    }

    /**
     * Sends the commits, and completes each with its result.
     *
     * @param now the time for tests; null for the database's time
     * @return the database's time
     */
    Instant run(Session session, @Nullable Instant now) {
        Shape shape = new Shape(
                RowSource.shape(counted.size()),
                RowSource.shape(checked.size()),
                RowSource.shape(records.size()),
                RowSource.shape(documents.size()),
                RowSource.shape(indexEntries.size()));
        String text = now == null
                ? session.texts().get(shape, () -> session.sql(Session.Role.APP, LOCK, shape.sql(null)))
                : session.sql(Session.Role.APP, LOCK, shape.sql(now));
        return session.runAll(text, to -> bind(to, now), this::read);
    }

    /** What the text depends on; the key of the cached text. */
    private record Shape(int counted, int checked, int records, int documents, int entries) {

        String sql(@Nullable Instant now) {
            StringBuilder sql = new StringBuilder();
            if (counted > 0) {
                sql.append("select ")
                        .append(CallerSql.require(QuotaSql.allMayStart(counted)))
                        .append("; ");
            }
            if (checked > 0) {
                sql.append("select ")
                        .append(CallerSql.require(UNCHANGED.formatted(CHECKED.sql("c", checked))))
                        .append("; ");
            }
            sql.append(RecordInsert.values(records, now))
                    .append(" returning k.id, k.fencing_token, k.created_at, k.deadline");
            if (documents > 0) {
                sql.append("; insert into {schema}.documents (")
                        .append(String.join(", ", DocumentRow.WRITTEN.names()))
                        .append(") ")
                        .append(DocumentRow.WRITTEN.inserted("d", documents));
            }
            if (entries > 0) {
                sql.append("; insert into {schema}.index_entries (")
                        .append(String.join(", ", ENTRIES.names()))
                        .append(") ")
                        .append(ENTRIES.inserted("e", entries));
            }
            return sql.toString();
        }
    }

    private void bind(Parameters to, @Nullable Instant now) throws SQLException {
        to.text(Session.users(users)).numbers(List.copyOf(locks));
        if (!counted.isEmpty()) {
            to.time(now);
            QuotaSql.USERS.bind(to, List.copyOf(counted.values()));
        }
        if (!checked.isEmpty()) {
            CHECKED.bind(to, List.copyOf(checked));
            to.time(now);
        }
        RecordInsert.bind(to, records);
        DocumentRow.WRITTEN.bind(to, documents);
        ENTRIES.bind(to, indexEntries);
    }

    private Instant read(Session.Results results) throws SQLException {
        results.next();
        if (!counted.isEmpty()) {
            results.next();
        }
        if (!checked.isEmpty()) {
            results.next();
        }
        ResultSet rows = results.next();
        Instant now = Instant.EPOCH;
        while (rows.next()) {
            now = IdempotencyRow.instant(rows, 3);
            PendingCommit pending = Objects.requireNonNull(byId.get(rows.getString(1)));
            IdempotencyWrite write = Objects.requireNonNull(pending.commit.idempotencyWrite());
            pending.complete(new CommitResult.Applied(IdempotencyRow.written(pending.commit.id(), write, rows, 2)));
        }
        return now;
    }
}
