package dev.semel.once;

import dev.semel.once.OnceSettings.IfExpired;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.OnceStore.Lookup;

/**
 * The state of a key, and the action of a call that finds it: the decision table of the engine. The first column applies if the call has
 * the fingerprint of the record, the second if it has another.
 *
 * <h2>Why an operation takes effect once</h2>
 *
 * <p>The technique is compare-and-set on one idempotency record per key. A call looks up the record, takes the action that this table
 * gives for it, and writes with the {@linkplain dev.semel.store.spi.IdempotencyWrite.Precondition precondition} that the record is still
 * the one it found. The store applies writes to one key one after another. If another call was faster, the write is rejected, nothing
 * has changed, and the call starts over with a new lookup. So every action is taken in the state that the table names, as if the calls
 * with a key came one at a time. No cell leads from {@link #COMPLETED} back to {@link Action#START}: at most one run of an operation
 * completes before its record expires, and all later calls replay its response.
 *
 * <p>A write that was sent may have been applied although no response arrived. Each write has a commit id, made before it is first sent.
 * {@link dev.semel.store.internal.Committer} sends the write again under the same id, and a store that has applied it returns the first
 * result. If the store stays unreachable, the call throws, and the caller's retry with the same key finds the outcome in the record.
 *
 * <p>What remains to be shown is that effect and record cannot part. The three modes differ in how they tie them together.
 *
 * <h2>Atomic: one commit</h2>
 *
 * <p>{@link AtomicRun} runs the operation under optimistic concurrency control. Reads become preconditions and writes are buffered. One
 * commit checks the preconditions, writes the documents, and sets the record from what was found to completed, with the response. There
 * is no record while the operation runs. A process can crash
 *
 * <ul>
 *   <li>before the commit is sent: the store has nothing, and a retry starts as if for the first time;
 *   <li>after it is sent and before the response: the commit was applied as a whole or not at all, and a retry replays or starts;
 *   <li>after the response: a retry replays.
 * </ul>
 *
 * <p>Two processes may run the same operation at once. Both commits require the record that both found, so one is applied and the other
 * is a lost race: its buffered writes are dropped, and its call replays. If the operation throws, its reads are checked once more, since it
 * may have thrown because of a state that has changed; only then is the failure recorded, with the same precondition.
 *
 * <h2>Leased: claim, effect, completion</h2>
 *
 * <p>{@link LeasedRun} cannot commit an effect that is elsewhere. It claims the key in one commit, runs the operation under a lease, and
 * completes it in another commit. Each claim gets a fencing token that is higher than all before it; the completion requires that the
 * record still has the token of its owner. A process can crash
 *
 * <ul>
 *   <li>before the claim is applied: nothing was run, and a retry starts;
 *   <li>after the claim is applied and before the effect, during it, or after it but before the completion is applied: these look alike
 *       from outside. When the lease has expired, {@link dev.semel.store.IfAbandoned#RERUN} starts the operation again, and
 *       {@link dev.semel.store.IfAbandoned#FREEZE} records the outcome as unknown until an operator resolves it. No library can decide
 *       this alone, so there is no default;
 *   <li>after the completion is applied: a retry replays.
 * </ul>
 *
 * <p>An owner that was only slow may return after its lease has expired and another run has started. Its completion is rejected by the
 * token, and it returns the outcome that counts. Its effect is rejected, too, if the operation passes the token on and the other system
 * refuses requests with a lower one. {@link Heartbeats} renew the lease after a third of its duration, so two renewals may fail. An owner
 * counts its lease from before the claim or renewal was sent, so it stops trusting the lease no later than the store does.
 *
 * <p>If the response to a claim stays lost, nothing is run: the call throws, and a claim that turns out to have been applied is released.
 *
 * <h2>Caller-managed: the caller's database transaction</h2>
 *
 * <p>{@link CallerManagedRun} writes the record in the database transaction that holds the effects, so the database commits both or
 * neither. It first tries to lock the key until the transaction ends, and looks the key up in a later statement, which therefore sees
 * what the previous holder of the lock has committed. If the lock is taken, the call reports that the operation is in progress. An
 * operation may also run first and claim its key when it records it; then the unique index of keys decides, and a duplicate is rolled
 * back. The crash points are those of the atomic mode.
 *
 * <p>The response to COMMIT may be lost, and a database has no commit ids to ask again with. The outcome is looked up instead, by a
 * write: the engine records on another connection that the operation failed, if the key is unchanged. The lost transaction holds the lock,
 * so this write waits until it has ended. If the transaction was committed, the key has changed, the write is rejected, and the record
 * found has the commit id of the lost transaction: the operation was executed. If the write is applied, the transaction was rolled back and
 * cannot be committed later.
 *
 * <p>An operation that commits or rolls back the transaction itself has broken the tie. The outcome is recorded as unknown.
 *
 * <h2>What this does not cover</h2>
 *
 * <p>Effects of an atomic operation outside its transaction happen once per run, and an operation may run several times. The effect of a
 * late owner happens if the other system does not check fencing tokens. A key protects for as long as its record is kept: a retry that comes
 * after the retention is a new call.
 */
enum KeyState {
    /** The key has no record: it is new, or its record was deleted. */
    ABSENT(Action.START, Action.START),
    /** The operation completed or failed, and its record has expired. */
    EXPIRED(Action.START, Action.START),
    /** The operation is in progress, and its owner's lease is live. */
    RUNNING(Action.REPORT_IN_PROGRESS, Action.REPORT_MISMATCH),
    /** The owner crashed, and the operation may be run again. */
    ABANDONED(Action.START, Action.REPORT_MISMATCH),
    /** The owner crashed, and the operation must not be run again. */
    TO_FREEZE(Action.FREEZE, Action.REPORT_MISMATCH),
    COMPLETED(Action.REPLAY, Action.REPORT_MISMATCH),
    FAILED(Action.START, Action.REPORT_MISMATCH),
    UNKNOWN(Action.REPORT_UNKNOWN, Action.REPORT_MISMATCH);

    /** What a call does that finds a key in a state. */
    enum Action {
        /** Runs the operation: for the first time, or as another attempt with a higher fencing token. */
        START,
        /** Records the outcome as unknown. */
        FREEZE,
        REPORT_IN_PROGRESS,
        REPORT_UNKNOWN,
        REPORT_MISMATCH,
        /** Rejects an expired key, if {@link OnceSettings#ifExpired()} is {@link IfExpired#REJECT}. */
        REPORT_EXPIRED,
        REPLAY,
    }

    private final Action same;
    private final Action other;

    KeyState(Action same, Action other) {
        this.same = same;
        this.other = other;
    }

    Action action(boolean sameFingerprint, IfExpired ifExpired) {
        if (this == EXPIRED && ifExpired == IfExpired.REJECT) {
            return Action.REPORT_EXPIRED;
        }
        return sameFingerprint ? same : other;
    }

    /** Returns the state of a key that was looked up. */
    static KeyState of(Lookup found) {
        IdempotencyRecord record = found.record();
        if (record == null) {
            return ABSENT;
        }
        return switch (record.statusAt(found.now())) {
            case UNKNOWN -> record.status() == Status.PROCESSING ? TO_FREEZE : UNKNOWN;
            case COMPLETED -> COMPLETED;
            case FAILED -> FAILED;
            case EXPIRED -> EXPIRED;
            case PROCESSING -> record.isExpiredAt(found.now()) ? ABANDONED : RUNNING;
        };
    }
}
