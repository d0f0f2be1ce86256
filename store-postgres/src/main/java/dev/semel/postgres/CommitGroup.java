package dev.semel.postgres;

import static dev.semel.postgres.RowSource.row;

import dev.semel.store.Commit;
import dev.semel.store.CommitResult;
import dev.semel.store.DocumentId;
import dev.semel.store.DocumentWrite;
import dev.semel.store.Expected;
import dev.semel.store.FurtherKey;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceWrite;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Commits that go to the database together, as the columns of {@link CommitSql}. No two of them have a row in common. */
final class CommitGroup {

    /** Taken last by who gives places, and held until they are to be seen: so nobody sees one before those below it. */
    private static final long PLACE_LOCK = Long.MAX_VALUE;

    /** So long that its end is as good as none, and may still be counted in microseconds. */
    private static final Duration LONGEST = Duration.ofDays(365_250);

    private final List<PendingCommit> commits;
    private final CommitSql sql;

    private final Set<String> users = new TreeSet<>();
    private final List<Long> lockers = new ArrayList<>();
    private final Set<Long> rowLocks = new TreeSet<>();
    private final Set<Long> userLocks = new TreeSet<>();
    private final List<Long> tried = new ArrayList<>();
    private final List<Long> placeLock = new ArrayList<>();

    private final List<DocumentId> lookedAt = new ArrayList<>();
    private final List<List<@Nullable Object>> looked = new ArrayList<>();
    private final List<List<@Nullable Object>> puts = new ArrayList<>();
    private final List<List<@Nullable Object>> deletes = new ArrayList<>();
    private final List<List<@Nullable Object>> further = new ArrayList<>();
    private final List<List<@Nullable Object>> furtherDeletes = new ArrayList<>();

    /** @param alone whether it waits for rows and users that others have */
    CommitGroup(List<PendingCommit> commits, boolean alone) {
        this.commits = commits;
        boolean once = false;
        boolean receipts = false;
        boolean quota = false;
        boolean places = false;
        for (int i = 0; i < commits.size(); i++) {
            PendingCommit pending = commits.get(i);
            Commit commit = pending.commit;
            addLocks(pending, i + 1L);
            addDocuments(commit, i + 1L);
            once |= commit.once() != null;
            receipts |= commit.once() == null && !commit.writes().isEmpty();
            quota |= pending.isCounted();
            places |= commit.wantsPlace();
        }
        this.sql = new CommitSql(
                alone,
                once,
                RowSource.shape(commits.size()),
                receipts,
                RowSource.shape(looked.size()),
                quota,
                RowSource.shape(puts.size()),
                places,
                RowSource.shape(deletes.size()),
                RowSource.shape(further.size()),
                RowSource.shape(furtherDeletes.size()));
    }

    private void addLocks(PendingCommit pending, long i) {
        for (RowId row : pending.rows()) {
            addLock(row, i, rowLocks);
        }
        OnceWrite once = pending.commit.once();
        if (once != null) {
            users.add(once.record().key().user());
            if (pending.isCounted()) {
                addLock(RowId.ofUser(once.record().key().user()), i, userLocks);
            }
        }
        if (pending.commit.wantsPlace() && placeLock.isEmpty()) {
            placeLock.add(PLACE_LOCK);
        }
    }

    private void addLock(RowId id, long i, Set<Long> inOrder) {
        inOrder.add(id.lock());
        lockers.add(i);
        tried.add(id.lock());
    }

    private void addDocuments(Commit commit, long i) {
        Map<DocumentId, Long> looks = new HashMap<>();
        commit.writers().forEach((id, writer) -> {
            users.add(id.owner());
            looks.put(id, look(i, id, writer));
        });
        Set<FurtherKey> kept = new HashSet<>();
        for (DocumentWrite write : commit.writes()) {
            users.add(write.id().owner());
            if (write instanceof DocumentWrite.Put put) {
                long look = put.wantsPlace() ? looks.computeIfAbsent(put.id(), id -> look(i, id, null)) : 0;
                add(i, put, look);
                kept.addAll(put.furtherKeys());
            }
        }
        for (DocumentWrite write : commit.writes()) {
            if (write instanceof DocumentWrite.Delete) {
                DocumentId id = write.id();
                deletes.add(row(i, id.collection(), id.owner(), id.key()));
                for (FurtherKey key : write.furtherKeys()) {
                    if (!kept.contains(key)) {
                        furtherDeletes.add(row(i, id.collection(), id.owner(), key.name(), key.key()));
                    }
                }
            }
        }
    }

    /** Looks at a document; returns the number of the look. */
    private long look(long i, DocumentId id, @Nullable String writer) {
        lookedAt.add(id);
        looked.add(row(i, (long) lookedAt.size(), id.collection(), id.owner(), id.key(), writer));
        return lookedAt.size();
    }

    private void add(long i, DocumentWrite.Put put, long look) {
        DocumentId id = put.id();
        List<@Nullable Object> row = new ArrayList<>(DocumentRow.values(put));
        row.addAll(row(i, put.wantsPlace()));
        puts.add(row);
        for (FurtherKey key : put.furtherKeys()) {
            further.add(row(i, id.collection(), id.owner(), id.key(), key.name(), key.key(), key.placed(), look));
        }
    }

    /**
     * Commits them, and tells each what became of it.
     *
     * @param now what time it is; null if the database is to say
     * @return what time it was for the database
     */
    Instant run(Session session, @Nullable Instant now) {
        return session.run(
                session.prologue(Session.Role.APP, sql.locking()) + sql.text(),
                parameters -> bind(parameters, now),
                this::read);
    }

    private void bind(Parameters to, @Nullable Instant now) throws SQLException {
        users.remove("");
        to.text(String.join(",", users));
        if (sql.alone()) {
            List<Long> all = new ArrayList<>(rowLocks);
            all.addAll(userLocks);
            all.addAll(placeLock);
            to.numbers(all);
        } else {
            to.numbers(lockers).numbers(tried).numbers(placeLock);
        }
        to.time(now);
        CommitSql.LOOKED.bind(to, looked);
        (sql.once() ? CommitSql.ONCE_COMMITS : CommitSql.COMMITS).bind(to, commitRows());
        CommitSql.PUTS.bind(to, puts);
        CommitSql.DELETES.bind(to, deletes);
        CommitSql.FURTHER.bind(to, further);
        CommitSql.FURTHER_DELETES.bind(to, furtherDeletes);
    }

    private List<List<@Nullable Object>> commitRows() {
        List<List<@Nullable Object>> rows = new ArrayList<>(commits.size());
        for (int i = 0; i < commits.size(); i++) {
            Commit commit = commits.get(i).commit;
            List<@Nullable Object> plain =
                    row(i + 1L, commit.attempt(), !commit.writes().isEmpty(), commit.wantsPlace());
            rows.add(sql.once() ? onceRow(commits.get(i).once, commit.once(), plain) : plain);
        }
        return rows;
    }

    private static List<@Nullable Object> onceRow(
            @Nullable RowId id, @Nullable OnceWrite write, List<@Nullable Object> plain) {
        List<@Nullable Object> row = new ArrayList<>();
        if (id == null || write == null) {
            row.addAll(Collections.nCopies(OnceRow.WRITTEN.names().size(), null));
            row.addAll(plain);
            row.addAll(row(null, null, null, false, null, null, null, null, null));
            return row;
        }
        OnceRecord record = write.record();
        Expected expected = write.expected();
        row.addAll(OnceRow.values(id, write));
        row.addAll(plain);
        row.addAll(row(
                (long) record.attempts(),
                record.fence(),
                record.createdAt(),
                write.isNewKey(),
                expected.fence(),
                OnceRow.name(expected.status()),
                expected.deadline(),
                (long) write.quota().limit(),
                micros(write.quota().window())));
        return row;
    }

    /** In whole microseconds, of which the rest is cut off. */
    static @Nullable Long micros(@Nullable Duration time) {
        if (time == null) {
            return null;
        }
        return ChronoUnit.MICROS.between(
                Instant.EPOCH, Instant.EPOCH.plus(time.compareTo(LONGEST) > 0 ? LONGEST : time));
    }

    private Instant read(ResultSet rows) throws SQLException {
        Instant now = Instant.EPOCH;
        while (rows.next()) {
            now = OnceRow.instant(rows, 3);
            PendingCommit pending = commits.get(rows.getInt(1) - 1);
            CommitResult result = result(pending, rows);
            if (result != null) {
                pending.complete(result);
            }
        }
        return now;
    }

    private @Nullable CommitResult result(PendingCommit pending, ResultSet row) throws SQLException {
        return switch (row.getInt(2)) {
            case CommitSql.APPLIED, CommitSql.APPLIED_BEFORE ->
                new CommitResult.Applied(
                        pending.commit.once() == null ? null : OnceRow.written(pending.commit, row, 4));
            case CommitSql.ONCE_CHANGED -> new CommitResult.OnceChanged();
            case CommitSql.STALE -> new CommitResult.Stale(lookedAt.get(row.getInt(7) - 1), row.getLong(8));
            case CommitSql.LIMITED -> new CommitResult.Limited(Duration.of(row.getLong(9), ChronoUnit.MICROS));
            default -> null;
        };
    }
}
