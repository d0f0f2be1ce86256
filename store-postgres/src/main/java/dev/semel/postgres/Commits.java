package dev.semel.postgres;

import dev.semel.postgres.StatementListener.Work;
import dev.semel.store.DocumentId;
import dev.semel.store.StoreException;
import dev.semel.store.internal.GroupCommit;
import dev.semel.store.internal.RowLocks;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.CommitResult;
import java.time.Duration;
import java.util.List;

/**
 * Sends commits to the database in groups.
 *
 * <h2>Group commit</h2>
 *
 * <p>A commit costs a round trip and a flush of the write-ahead log. Both cost about the same for sixty commits as for one, so concurrent
 * callers of a process share them.
 *
 * <p><b>A group</b> is a set of at most {@value #MOST_TOGETHER} commits, sent as one transaction on one connection. None writes a row that
 * another one writes or checks, because each caller holds in-process locks of its rows ({@link RowLocks}) from before it queues up until it
 * has its result. New keys with new documents are inserted first, by a cheaper transaction ({@link Creations}); all others follow in a second one
 * ({@link CommitGroup}).
 *
 * <p><b>The writer</b> is one of the callers; there is no background thread. The first caller writes at once. Callers that arrive meanwhile
 * queue up. When the round trip has returned, the writer hands its role to the first caller in the queue and then wakes the callers of its
 * group. {@link GroupCommit} describes the hand-over, which takes place whatever the writer throws.
 *
 * <p><b>Commits of a group do not affect each other.</b> A commit whose precondition does not hold writes nothing, and the others are
 * applied. A commit whose lock another transaction holds is left out: its own caller sends it again, alone, and waits for the lock while
 * the next groups pass. If the server rejects the whole transaction, none of its commits was written, and every commit is sent again alone,
 * so only the faulty one fails.
 *
 * <p><b>A caller may rely on this:</b>
 *
 * <ul>
 *   <li>It returns after the COMMIT of its transaction, so its result is as durable as the database, and every server sees it.
 *   <li>Its result is the same as if it had been sent alone. New keys of its user in the same group count for the quota.
 *   <li>If the connection is lost, every caller of the group gets a {@link StoreException} that is not certain. Sent again with the same
 *       commit id, a commit that was applied returns the same result and is not applied twice.
 *   <li>It waits for other transactions only if they hold a lock that it needs, and at most for the lock timeout. A commit that starts a
 *       run does not wait for a caller-managed transaction with its key, which may take long.
 *   <li>An interrupt does not break off a round trip.
 * </ul>
 */
final class Commits {

    /** Maximum number of commits in a group. */
    static final int MOST_TOGETHER = 63;

    /** Most commits take less. */
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

    /** Waits a few milliseconds while a commit of this process is writing a document, because a read now would soon be outdated. */
    void awaitFree(DocumentId id) {
        locks.awaitFree(RowId.of(id).bytes(), SHORTLY);
    }

    CommitResult commit(Commit commit) {
        PendingCommit pending = new PendingCommit(commit);
        RowLocks.Held held = locks.lock(bytes(pending.rows()), bytes(pending.checkedRows()));
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

    private static List<byte[]> bytes(List<RowId> rows) {
        return rows.stream().map(RowId::bytes).toList();
    }

    /** Sends a group. If the server rejects it, its commits have no result yet, and their callers send each alone. */
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

    /** Sends the commits that only create, and returns those that remain. */
    private List<PendingCommit> createTogether(List<PendingCommit> pending) {
        List<PendingCommit> creations =
                pending.stream().filter(PendingCommit::isCreation).toList();
        Creations together = new Creations(creations, session.locks());
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

    /** Sends a commit alone. Those that count the keys of one user take turns, so that only one of them waits on a connection. */
    private void commitAfterOthers(PendingCommit pending) {
        if (!pending.isCounted()) {
            commitAlone(pending);
            return;
        }
        if (!turns.run(pending.user(), () -> commitAlone(pending))) {
            pending.fail(
                    StoreException.unavailable("Other commits of the user took longer than the lock timeout", null));
        }
    }

    private void commitAlone(PendingCommit pending) {
        try {
            commit(List.of(pending), true);
        } catch (StoreException e) {
            if (CommitSql.isClaimed(e)) {
                pending.complete(new CommitResult.KeyInProgress());
            } else {
                pending.fail(e);
            }
        }
    }

    private void commit(List<PendingCommit> pending, boolean alone) {
        long asked = System.nanoTime();
        clock.observe(new CommitGroup(pending, session.locks(), alone).run(session, clock.given()), asked);
    }
}
