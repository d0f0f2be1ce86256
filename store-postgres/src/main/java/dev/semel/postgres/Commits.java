package dev.semel.postgres;

import dev.semel.postgres.StatementListener.Work;
import dev.semel.store.DocumentId;
import dev.semel.store.StoreException;
import dev.semel.store.internal.GroupCommit;
import dev.semel.store.internal.RowLocks;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyWrite;
import java.time.Duration;
import java.util.List;

/**
 * Group commit: callers that come at the same time share a round trip, and a commit to disk with it ({@link CommitGroup}). Within a process
 * the rows of a commit are locked until it is done, so that no two of a group have one in common; between processes, by advisory
 * locks of the transaction. What another transaction holds for long, a row or the count of a user's keys, does not hold up the
 * group: its commit waits alone.
 */
final class Commits {

    /** The most callers that share a round trip. */
    static final int MOST_TOGETHER = 63;

    /** Longer than most commits take. */
    private static final Duration SHORTLY = Duration.ofMillis(5);

    private final Session session;
    private final DatabaseClock clock;
    private final UserTurns turns;
    private final RowLocks locks = new RowLocks();
    private final Superseded superseded = new Superseded();
    private final GroupCommit<PendingCommit> group =
            new GroupCommit<>(this::commitTogether, PendingCommit::bytes, MOST_TOGETHER);

    Commits(Session session, DatabaseClock clock, Duration lockTimeout) {
        this.session = session.doing(Work.COMMIT);
        this.clock = clock;
        this.turns = new UserTurns(lockTimeout);
    }

    /** Waits a moment for a commit of this process that has a document. */
    void awaitFree(DocumentId id) {
        locks.awaitFree(RowId.of(id).bytes(), SHORTLY);
    }

    CommitResult commit(Commit commit) {
        PendingCommit pending = new PendingCommit(commit);
        RowLocks.Held held =
                locks.lock(pending.rows().stream().map(RowId::bytes).toList());
        try {
            CommitResult.DocumentConflict late = superseded.check(commit);
            if (late != null) {
                return late;
            }
            group.write(pending);
            if (pending.isBusy()) {
                commitAfterOthers(pending);
            }
            CommitResult result = pending.result();
            if (result instanceof CommitResult.Applied) {
                superseded.note(commit);
            }
            return result;
        } catch (RuntimeException e) {
            superseded.doubt(commit);
            throw e;
        } finally {
            held.release();
        }
    }

    /** If one of them keeps the others from being committed, all are left busy, so that each goes alone and holds up nobody. */
    void commitTogether(List<PendingCommit> pending) {
        List<PendingCommit> others = createTogether(pending);
        try {
            if (!others.isEmpty()) {
                commit(others, false);
            }
        } catch (StoreException e) {
            if (others.size() == 1 || !Session.isRejection(e)) {
                others.forEach(each -> each.fail(e));
            }
        }
    }

    /** Tries the shorter way with those that only create; returns those that are still to be committed. */
    private List<PendingCommit> createTogether(List<PendingCommit> pending) {
        List<PendingCommit> creations =
                pending.stream().filter(PendingCommit::isCreation).toList();
        Creations together = new Creations(creations);
        if (creations.isEmpty() || !together.mayFit()) {
            return pending;
        }
        try {
            long asked = System.nanoTime();
            clock.observe(together.run(session, clock.given()), asked);
        } catch (StoreException e) {
            if (Session.isRejection(e)) {
                return pending;
            }
            creations.forEach(each -> each.fail(e));
        }
        return pending.stream().filter(each -> !each.isCreation()).toList();
    }

    /** Commits of a user whose keys are counted go one after another, or else they would wait on a connection each. */
    private void commitAfterOthers(PendingCommit pending) {
        IdempotencyWrite write = pending.commit.idempotencyWrite();
        if (write == null || !pending.isCounted()) {
            commitAlone(pending);
            return;
        }
        RowId user = RowId.ofUser(write.record().key().user());
        if (!turns.run(user, () -> commitAlone(pending))) {
            pending.fail(StoreException.unavailable("Other commits of the user take too long", null));
        }
    }

    private void commitAlone(PendingCommit pending) {
        try {
            commit(List.of(pending), true);
        } catch (StoreException e) {
            pending.fail(e);
        }
    }

    private void commit(List<PendingCommit> pending, boolean alone) {
        long asked = System.nanoTime();
        clock.observe(new CommitGroup(pending, alone).run(session, clock.given()), asked);
    }
}
