package dev.semel.postgres;

import static dev.semel.postgres.RowSource.row;

import dev.semel.store.DocumentId;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.Commit.IndexEntry;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
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
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The locks, parameters and results of commits that share a transaction. None of them writes a row that another one writes or checks.
 *
 * <h2>Lock order: why commits do not deadlock</h2>
 *
 * <p>A commit checks preconditions and then writes, and nothing may change in between. Many preconditions are about rows that do not exist
 * yet, and PostgreSQL cannot lock those. So a transaction first takes an advisory lock for each row that it checks or writes
 * ({@link AdvisoryLocks}), in shared mode if it only checks the row. The server releases the locks at the end of the transaction, and when a
 * connection is lost. The order is:
 *
 * <ol>
 *   <li>all documents: in shared mode for a commit with documents, in exclusive mode for a commit with more than
 *       {@value PendingCommit#MOST_LOCKED}, which then locks no single documents;
 *   <li>rows, which are idempotency records and documents, by lock number;
 *   <li>users whose new keys are counted, by lock number;
 *   <li>the commit sequence.
 * </ol>
 *
 * <p>A deadlock is a cycle of transactions that wait for each other. There is none, for these reasons:
 *
 * <ul>
 *   <li>A group tries the first three kinds of locks and does not wait for them. A commit that lacks a lock is left out and sent alone. A
 *       group waits only for the last lock of the order, and its holder waits for no other.
 *   <li>A commit that is sent alone waits in this order. If it waits for a lock, all locks that it holds come before that one. So each
 *       transaction in a chain of waits waits for a later lock than the one before it, and the chain cannot close.
 *   <li>Index entries have no lock. They are written only under the lock of their document.
 *   <li>A caller-managed transaction tries the locks of its key, and waits only for its user. SQL of the application is outside of this
 *       order: applications that take locks in opposite orders get {@code 40P01} from PostgreSQL, as without Semel.
 * </ul>
 *
 * <p>Row locks add no cycle among commits, because a row is written only under its advisory lock. A sweep locks rows without it, but skips
 * locked rows and waits for nothing. Only erasing a user waits for row locks of a group; if both wait for each other, PostgreSQL cancels
 * one. A cancelled group is sent again one by one, and a cancelled erasure is an error for the operator.
 *
 * <p>The locks are taken by the first statement of the round trip, and preconditions are checked by the second. In READ COMMITTED the
 * second has a later snapshot, so it includes what the previous holders have committed. The lock of the commit sequence is held until the
 * numbers are visible, so no reader sees a number before the smaller ones.
 */
final class CommitGroup {

    /** A thousand years, which can be counted in microseconds. Longer durations are shortened. */
    private static final Duration LONGEST = Duration.ofDays(365_250);

    private final List<PendingCommit> commits;
    private final AdvisoryLocks locks;
    private final CommitSql sql;

    private final Set<String> users = new TreeSet<>();
    private final List<Long> lockers = new ArrayList<>();
    private final Set<Long> documentLocks = new TreeSet<>();
    private final Set<Long> rowLocks = new TreeSet<>();
    private final Set<Long> userLocks = new TreeSet<>();
    private final List<Long> tried = new ArrayList<>();
    private final List<Long> sequenceLock = new ArrayList<>();

    private final List<DocumentId> lookedAt = new ArrayList<>();
    private final List<List<@Nullable Object>> looks = new ArrayList<>();
    private final List<List<@Nullable Object>> puts = new ArrayList<>();
    private final List<List<@Nullable Object>> deletes = new ArrayList<>();
    private final List<List<@Nullable Object>> entryPuts = new ArrayList<>();
    private final List<List<@Nullable Object>> entryDeletes = new ArrayList<>();

    /** @param alone whether to wait for the locks of rows and users */
    CommitGroup(List<PendingCommit> commits, AdvisoryLocks locks, boolean alone) {
        this.commits = commits;
        this.locks = locks;
        boolean records = false;
        boolean logged = false;
        boolean quota = false;
        boolean sequenced = false;
        boolean notifies = false;
        for (int i = 0; i < commits.size(); i++) {
            PendingCommit pending = commits.get(i);
            Commit commit = pending.commit;
            addLocks(pending, i + 1L);
            addDocuments(commit, i + 1L);
            records |= commit.idempotencyWrite() != null;
            logged |= commit.idempotencyWrite() == null && !commit.writes().isEmpty();
            quota |= pending.isCounted();
            sequenced |= commit.needsSequence();
            notifies |= commit.notifiesWatchers();
        }
        this.sql = new CommitSql(
                alone,
                alone && commits.get(0).isStart(),
                records,
                RowSource.shape(commits.size()),
                logged,
                RowSource.shape(looks.size()),
                quota,
                RowSource.shape(puts.size()),
                sequenced,
                notifies,
                RowSource.shape(deletes.size()),
                RowSource.shape(entryPuts.size()),
                RowSource.shape(entryDeletes.size()));
    }

    private void addLocks(PendingCommit pending, long commitNo) {
        for (long lock : pending.locks(locks)) {
            boolean isOfRow = lock != locks.ofDocuments() && lock != locks.ofAllDocuments();
            addLock(lock, commitNo, isOfRow ? rowLocks : documentLocks);
        }
        IdempotencyWrite write = pending.commit.idempotencyWrite();
        if (write != null) {
            users.add(write.record().key().user());
            if (pending.isCounted()) {
                addLock(locks.of(pending.user()), commitNo, userLocks);
            }
        }
        if (pending.commit.needsSequence() && sequenceLock.isEmpty()) {
            sequenceLock.add(locks.ofSequence());
        }
    }

    private void addLock(long lock, long commitNo, Set<Long> ordered) {
        ordered.add(lock);
        lockers.add(commitNo);
        tried.add(lock);
    }

    private void addDocuments(Commit commit, long commitNo) {
        Map<DocumentId, Long> looksOfCommit = new HashMap<>();
        commit.preconditions().forEach((id, commitId) -> {
            users.add(id.owner());
            looksOfCommit.put(id, look(commitNo, id, commitId));
        });
        Set<IndexEntry> kept = new HashSet<>();
        for (DocumentWrite write : commit.writes()) {
            users.add(write.id().owner());
            if (write instanceof DocumentWrite.Put put) {
                long lookNo = put.needsSequence()
                        ? looksOfCommit.computeIfAbsent(put.id(), id -> look(commitNo, id, null))
                        : 0;
                add(commitNo, put, lookNo);
                kept.addAll(put.indexEntries());
            }
        }
        for (DocumentWrite write : commit.writes()) {
            if (write instanceof DocumentWrite.Delete) {
                DocumentId id = write.id();
                deletes.add(row(commitNo, id.collection(), id.owner(), id.key()));
                for (IndexEntry entry : write.indexEntries()) {
                    if (!kept.contains(entry)) {
                        entryDeletes.add(row(commitNo, id.collection(), id.owner(), entry.index(), entry.key()));
                    }
                }
            }
        }
    }

    /** Adds a document to look up, and returns its number in the statement. */
    private long look(long commitNo, DocumentId id, @Nullable String commitId) {
        lookedAt.add(id);
        looks.add(row(commitNo, (long) lookedAt.size(), id.collection(), id.owner(), id.key(), commitId));
        return lookedAt.size();
    }

    private void add(long commitNo, DocumentWrite.Put put, long lookNo) {
        DocumentId id = put.id();
        List<@Nullable Object> row = new ArrayList<>(DocumentRow.values(put));
        row.addAll(row(commitNo, put.needsSequence()));
        puts.add(row);
        for (IndexEntry entry : put.indexEntries()) {
            entryPuts.add(row(
                    commitNo,
                    id.collection(),
                    id.owner(),
                    id.key(),
                    entry.index(),
                    entry.key(),
                    entry.sequenced(),
                    lookNo));
        }
    }

    /**
     * Sends the commits, and completes each with its result.
     *
     * @param now the time for tests; null for the database's time
     * @return the database's time
     */
    Instant run(Session session, @Nullable Instant now) {
        String text = session.texts().get(sql, () -> session.sql(Session.Role.APP, sql.locking(), sql.text()));
        return session.run(text, parameters -> bind(parameters, now), this::read);
    }

    private void bind(Parameters to, @Nullable Instant now) throws SQLException {
        users.remove("");
        to.text(Session.users(users));
        if (sql.starts()) {
            to.number(locks.ofClaim(Objects.requireNonNull(commits.get(0).record)));
        }
        if (sql.alone()) {
            List<Long> all = new ArrayList<>(documentLocks);
            all.addAll(rowLocks);
            all.addAll(userLocks);
            all.addAll(sequenceLock);
            to.numbers(all);
        } else {
            to.numbers(lockers).numbers(tried).numbers(sequenceLock);
        }
        to.time(now);
        CommitSql.LOOKS.bind(to, looks);
        (sql.records() ? CommitSql.RECORD_COMMITS : CommitSql.COMMITS).bind(to, commitRows());
        CommitSql.PUTS.bind(to, puts);
        CommitSql.DELETES.bind(to, deletes);
        CommitSql.ENTRY_PUTS.bind(to, entryPuts);
        CommitSql.ENTRY_DELETES.bind(to, entryDeletes);
    }

    private List<List<@Nullable Object>> commitRows() {
        List<List<@Nullable Object>> rows = new ArrayList<>(commits.size());
        for (int i = 0; i < commits.size(); i++) {
            Commit commit = commits.get(i).commit;
            List<@Nullable Object> row =
                    new ArrayList<>(sql.records() ? recordRow(commits.get(i).record, commit) : List.of(commit.id()));
            row.addAll(row(i + 1L, !commit.writes().isEmpty(), commit.needsSequence()));
            if (sql.records()) {
                row.addAll(expectedRow(commit.idempotencyWrite()));
            }
            rows.add(row);
        }
        return rows;
    }

    private static List<@Nullable Object> recordRow(@Nullable RowId id, Commit commit) {
        IdempotencyWrite write = commit.idempotencyWrite();
        if (id == null || write == null) {
            List<@Nullable Object> none = new ArrayList<>(
                    Collections.nCopies(RecordInsert.ROWS.names().size() - 1, null));
            none.add(commit.id());
            return none;
        }
        return RecordInsert.row(id, commit.id(), write);
    }

    private static List<@Nullable Object> expectedRow(@Nullable IdempotencyWrite write) {
        if (write == null) {
            return row(false, null, null, null, null, null, null);
        }
        Precondition expected = write.precondition();
        return row(
                write.isNewKey(),
                write.record().fencingToken(),
                expected.fencingToken(),
                IdempotencyRow.code(expected.status()),
                expected.deadline(),
                (long) write.quota().limit(),
                micros(write.quota().window()));
    }

    /** Returns whole microseconds, rounded down. */
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
            now = IdempotencyRow.instant(rows, 3);
            PendingCommit pending = commits.get(rows.getInt(1) - 1);
            CommitResult result = result(pending.commit, rows);
            if (result != null) {
                pending.complete(result);
            }
        }
        return now;
    }

    private @Nullable CommitResult result(Commit commit, ResultSet row) throws SQLException {
        IdempotencyWrite write = commit.idempotencyWrite();
        return switch (row.getInt(2)) {
            case CommitSql.APPLIED, CommitSql.APPLIED_BEFORE ->
                new CommitResult.Applied(write == null ? null : IdempotencyRow.written(commit.id(), write, row, 4));
            case CommitSql.RECORD_CONFLICT -> new CommitResult.RecordConflict();
            case CommitSql.DOCUMENT_CONFLICT ->
                new CommitResult.DocumentConflict(lookedAt.get(row.getInt(7) - 1), row.getLong(8));
            case CommitSql.QUOTA_EXCEEDED ->
                new CommitResult.QuotaExceeded(Duration.of(row.getLong(9), ChronoUnit.MICROS));
            default -> null;
        };
    }
}
