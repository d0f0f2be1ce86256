package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.id.IdSchemes;
import dev.semel.once.Call;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
import dev.semel.store.spi.OnceStore.Lookup;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** An idempotency record is written if its precondition holds, and once for each commit id. */
public interface CompareAndSetContract extends StoreFixture {

    /** Number of repetitions of each race. */
    int RACES = TestSize.of(50, 200);

    private CommitResult claim(String commitId, Call call, Precondition precondition) {
        return store().compareAndSet(
                        commitId, idempotencyWrite(call, precondition, 0, Status.PROCESSING, IfAbandoned.RERUN, null));
    }

    private IdempotencyWrite completion(Call call, long fencingToken, String response) {
        return idempotencyWrite(
                call,
                Precondition.ownedBy(fencingToken),
                fencingToken,
                Status.COMPLETED,
                IfAbandoned.RERUN,
                Response.of(response));
    }

    @Test
    default void unknownKey_hasNoRecord_andTheStoresTime() {
        assertThat(store().find(call("k").key())).isEqualTo(new Lookup(null, time().instant()));
        time().advance(Duration.ofSeconds(1));
        assertThat(store().find(call("k").key()).now()).isEqualTo(time().instant());
        assertThat(store().clock().instant()).isEqualTo(time().instant());
    }

    @Test
    default void times_areThoseOfTheStoreAtTheCommit() {
        Call call = call("k");
        IdempotencyWrite write =
                idempotencyWrite(call, Precondition.ABSENT, 0, Status.COMPLETED, null, Response.of("done"));
        time().advance(Duration.ofSeconds(5));
        Instant now = time().instant();
        assertThat(store().compareAndSet(newCommitId(), write)).isInstanceOf(CommitResult.Applied.class);
        IdempotencyRecord record = Objects.requireNonNull(stored(call));
        assertThat(record.createdAt()).isEqualTo(now);
        assertThat(record.deadline()).isEqualTo(now.plus(SETTINGS.retention()));
        assertThat(record.purgeAt()).isEqualTo(now.plus(SETTINGS.retention()).plus(SETTINGS.tombstone()));
    }

    @Test
    default void expiredRecord_isStillReturned() {
        Call call = call("k");
        IdempotencyRecord written = write(call, Precondition.ABSENT, Status.COMPLETED, null, Response.of("done"));
        time().advance(SETTINGS.retention());
        assertThat(stored(call)).isEqualTo(written);
    }

    @Test
    default void writeOfAnAbsentKey_thatIsThere_conflicts() {
        Call call = call("k");
        IdempotencyRecord written = write(call, Precondition.ABSENT, Status.COMPLETED, null, Response.of("done"));
        assertThat(claim("commit-1", call, Precondition.ABSENT)).isEqualTo(new CommitResult.RecordConflict());
        assertThat(stored(call)).isEqualTo(written);
    }

    @Test
    default void writeOfAnExistingKey_thatIsAbsent_conflicts() {
        Call call = call("k");
        assertThat(store().compareAndSet(newCommitId(), completion(call, 7, "done")))
                .isEqualTo(new CommitResult.RecordConflict());
        assertThat(stored(call)).isNull();
    }

    @Test
    default void writeOfAnotherStatus_conflicts() {
        Call call = call("k");
        IdempotencyRecord failed = write(call, Precondition.ABSENT, Status.FAILED, null, null);
        assertThat(store().compareAndSet(newCommitId(), completion(call, failed.fencingToken(), "late")))
                .isEqualTo(new CommitResult.RecordConflict());
        assertThat(stored(call)).isEqualTo(failed);
    }

    @Test
    default void writeByAnOwnerWithALowerFencingToken_conflicts() {
        Call call = call("k");
        IdempotencyRecord first = claimAndCrash(call, IfAbandoned.RERUN);
        time().advance(SETTINGS.lease());
        IdempotencyRecord second = claimAndCrash(call, IfAbandoned.RERUN);
        assertThat(store().compareAndSet(newCommitId(), completion(call, first.fencingToken(), "late")))
                .isEqualTo(new CommitResult.RecordConflict());
        assertThat(stored(call)).isEqualTo(second);
    }

    @Test
    default void claim_ofARecordThatAnotherHasClaimedMeanwhile_conflicts() {
        Call call = call("k");
        Precondition abandoned = Precondition.unchanged(claimAndCrash(call, IfAbandoned.RERUN));
        time().advance(SETTINGS.lease());
        write(call, abandoned, Status.PROCESSING, IfAbandoned.RERUN, null);
        assertThat(claim("late", call, abandoned)).isEqualTo(new CommitResult.RecordConflict());
    }

    @Test
    default void claim_ofALeaseThatWasRenewedMeanwhile_conflicts() {
        Call call = call("k");
        IdempotencyRecord slow = claimAndCrash(call, IfAbandoned.RERUN);
        time().advance(SETTINGS.lease());
        assertThat(store().compareAndSet("renewal", renewal(call, slow.fencingToken())))
                .isInstanceOf(CommitResult.Applied.class);
        assertThat(claim("takeover", call, Precondition.unchanged(slow))).isEqualTo(new CommitResult.RecordConflict());
    }

    @Test
    default void sameCommitId_ofAClaim_returnsTheSameRecord_andAnotherConflicts() {
        Call call = call("k");
        CommitResult first = claim("commit-1", call, Precondition.ABSENT);
        time().advance(Duration.ofSeconds(1));
        assertThat(first).isInstanceOf(CommitResult.Applied.class);
        assertThat(claim("commit-1", call, Precondition.ABSENT)).isEqualTo(first);
        assertThat(claim("commit-2", call, Precondition.ABSENT)).isEqualTo(new CommitResult.RecordConflict());
    }

    @Test
    default void sameCommitId_ofACompletion_returnsTheSameRecord_andAnotherConflicts() {
        Call call = call("k");
        IdempotencyWrite write =
                completion(call, claimAndCrash(call, IfAbandoned.RERUN).fencingToken(), "done");
        CommitResult first = store().compareAndSet("commit-1", write);
        assertThat(first).isInstanceOf(CommitResult.Applied.class);
        assertThat(store().compareAndSet("commit-1", write)).isEqualTo(first);
        assertThat(store().compareAndSet("commit-2", write)).isEqualTo(new CommitResult.RecordConflict());
    }

    @Test
    default void commitIdOfAWriteThatConflicted_canBeSentAgain() {
        Call call = call("k");
        IdempotencyRecord failed = write(call, Precondition.ABSENT, Status.FAILED, null, null);
        assertThat(claim("commit-1", call, Precondition.ABSENT)).isEqualTo(new CommitResult.RecordConflict());
        assertThat(claim("commit-1", call, Precondition.unchanged(failed))).isInstanceOf(CommitResult.Applied.class);
    }

    /** Eight threads write one key: each time, exactly one of them succeeds. */
    @Test
    default void racingWrites_ofOneKey_haveOneWinner() throws Exception {
        for (int round = 0; round < RACES; round++) {
            Call call = call("k" + round);
            assertThat(race(8, commitId -> claim(commitId, call, Precondition.ABSENT)))
                    .isEqualTo(1);
        }
    }

    /** The same with an existing record. A store that reads it and then writes without a condition fails. */
    @Test
    default void racingTakeovers_ofOneKey_haveOneWinner() throws Exception {
        for (int round = 0; round < RACES; round++) {
            Call call = call("k" + round);
            Precondition failed = Precondition.unchanged(write(call, Precondition.ABSENT, Status.FAILED, null, null));
            assertThat(race(8, commitId -> claim(commitId, call, failed)))
                    .as("winners of one key")
                    .isEqualTo(1);
        }
    }

    /** A renewal changes neither the fencing token nor the status, so the store has to compare the deadline too. */
    @Test
    default void renewalThatRacesWithTakeovers_hasOneWinner() throws Exception {
        for (int round = 0; round < RACES; round++) {
            Call call = call("k" + round);
            IdempotencyRecord slow = claimAndCrash(call, IfAbandoned.RERUN);
            time().advance(SETTINGS.lease());
            Precondition abandoned = Precondition.unchanged(slow);
            AtomicInteger turns = new AtomicInteger();
            assertThat(race(
                            8,
                            commitId -> turns.getAndIncrement() % 2 == 0
                                    ? store().compareAndSet(commitId, renewal(call, slow.fencingToken()))
                                    : claim(commitId, call, abandoned)))
                    .as("renewals, or one takeover")
                    .isIn(1, 4);
            IdempotencyRecord left = Objects.requireNonNull(stored(call));
            assertThat(left.deadline()).isEqualTo(time().instant().plus(SETTINGS.lease()));
        }
    }

    /** Sends a write from several threads at the same time, each with a different commit id. Returns how many were applied. */
    private static int race(int threads, Function<String, CommitResult> write) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            CyclicBarrier together = new CyclicBarrier(threads);
            List<Future<CommitResult>> results = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                String commitId = IdSchemes.TID62.mint();
                results.add(pool.submit(() -> {
                    together.await();
                    return write.apply(commitId);
                }));
            }
            int applied = 0;
            for (Future<CommitResult> result : results) {
                applied += result.get() instanceof CommitResult.Applied ? 1 : 0;
            }
            return applied;
        } finally {
            pool.shutdownNow();
        }
    }

    private IdempotencyWrite renewal(Call call, long fencingToken) {
        return idempotencyWrite(
                call, Precondition.ownedBy(fencingToken), fencingToken, Status.PROCESSING, IfAbandoned.RERUN, null);
    }
}
