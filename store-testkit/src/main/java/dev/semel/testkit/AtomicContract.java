package dev.semel.testkit;

import static dev.semel.testkit.DocumentFixture.id;
import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.document.Transaction;
import dev.semel.document.Transactions.WriteConflictException;
import dev.semel.json.Json;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.Once.AtomicOperation;
import dev.semel.once.Once.UnrecordedException;
import dev.semel.once.OnceListener;
import dev.semel.once.Outcome;
import dev.semel.store.Document;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Effects, key and response of an atomic operation are one commit. */
public interface AtomicContract extends DocumentFixture {

    @Test
    default void atomicOperation_whileItRuns_hasNoRecord_andAfterwardsAllOfIt() {
        Call call = call("k");
        Outcome outcome = newOnce().atomic(call, tx -> {
            tx.expectAbsent(id("a"));
            tx.put(document("a", 1, "1"), List.of());
            assertThat(stored(call)).isNull();
            assertThat(documents().read(id("a"))).isEmpty();
            return Response.of("done");
        });
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(documents().read(id("a"))).map(Document::data).contains(Json.of("1"));
        assertThat(stored(call))
                .isNotNull()
                .extracting(IdempotencyRecord::ifAbandoned)
                .isNull();
    }

    @Test
    default void twoServersWithTheSameAtomicKey_haveOneEffectAndOneResponse() {
        Call call = call("k");
        Once here = newOnce();
        Once there = newOnce();
        Outcome first = here.atomic(call, tx -> {
            // the other server gets the same call, and completes it first
            Outcome second = there.atomic(call, other -> {
                other.expectAbsent(id("there"));
                other.put(document("there", 1, "1"), List.of());
                return Response.of("there");
            });
            assertThat(second).isInstanceOf(Outcome.Executed.class);
            tx.expectAbsent(id("here"));
            tx.put(document("here", 1, "1"), List.of());
            return Response.of("here");
        });
        assertThat(first).isInstanceOf(Outcome.Replayed.class);
        assertThat(((Outcome.Replayed) first).response()).isEqualTo(Response.of("there"));
        assertThat(documents().read(id("here"))).isEmpty();
        assertThat(documents().read(id("there"))).isPresent();
    }

    @Test
    default void actionAfterAnAtomicCommit_runsForNeitherReplaysNorRefusalsNorLostRaces() {
        List<String> actions = new ArrayList<>();
        Call call = call("k");
        newOnce().atomic(call, tx -> {
            newOnce().atomic(call, other -> {
                other.afterCommit(() -> actions.add("there"));
                return Response.of("there");
            });
            tx.afterCommit(() -> actions.add("here"));
            return Response.of("here");
        });
        newOnce().atomic(call, tx -> {
            tx.afterCommit(() -> actions.add("replay"));
            return Response.of("replay");
        });
        newOnce().atomic(call("refused"), tx -> {
            tx.afterCommit(() -> actions.add("refusal"));
            return Response.of("refused").asRefusal();
        });
        assertThat(actions).containsExactly("there");
    }

    @Test
    default void unrecordedAtomicFailure_leavesTheKeyAsItWas() {
        Call call = call("k");
        UnrecordedException notNow = new UnrecordedException("not now");
        AtomicOperation unrecorded = tx -> {
            tx.expectAbsent(id("a"));
            tx.put(document("a", 1, "1"), List.of());
            throw notNow;
        };
        assertThat(newOnce().atomic(call, unrecorded)).isEqualTo(new Outcome.Failed(notNow, 1));
        assertThat(stored(call)).isNull();
        assertThat(documents().read(id("a"))).isEmpty();
        newOnce().atomic(call, tx -> {
            throw new Exception("failed");
        });
        assertThat(newOnce().atomic(call, unrecorded)).isEqualTo(new Outcome.Failed(notNow, 2));
        assertThat(Objects.requireNonNull(stored(call)).attempts()).isEqualTo(1);
    }

    /** The run may have failed because it read the effect of the other one. */
    @Test
    default void atomicRunThatFails_whileAnotherOfTheSameCompletes_getsItsResponse() {
        for (Exception failure : List.of(new UnrecordedException("it is there"), new IllegalStateException("broken"))) {
            Call call = call("k-" + failure.getClass().getSimpleName());
            Outcome outcome = newOnce().atomic(call, tx -> {
                run(Mode.ATOMIC, call, "done");
                throw failure;
            });
            assertThat(outcome).isInstanceOf(Outcome.Replayed.class);
            assertThat(((Outcome.Replayed) outcome).response()).isEqualTo(Response.of("done"));
        }
    }

    @Test
    default void atomicOperationThatThrows_writesNothing() {
        newOnce().atomic(call("k"), tx -> {
            tx.expectAbsent(id("a"));
            tx.put(document("a", 1, "1"), List.of());
            throw new Exception("after writing");
        });
        assertThat(documents().read(id("a"))).isEmpty();
    }

    /** A commit without a response is never treated as failed: the retry looks it up. */
    @Test
    default void commitWhoseResponseStaysLost_throws_andTheRetryFindsIt() {
        FaultyStore faulty = new FaultyStore(store());
        Once once = newOnce(faulty, SETTINGS, OnceListener.NONE);
        faulty.loseResponses(4);
        assertThatThrownBy(() -> run(once, Mode.ATOMIC, call("k"), () -> Response.of("done")))
                .isInstanceOf(StoreException.class);
        Outcome retry = run(once, Mode.ATOMIC, call("k"), () -> Response.of("must not run"));
        assertThat(((Outcome.Replayed) retry).response()).isEqualTo(Response.of("done"));
    }

    @Test
    default void storeFailureInsideAnOperation_isNotTheOperationsFailure_evenIfItHidesIt() {
        FaultyStore faulty = new FaultyStore(store());
        Once once = newOnce(faulty, SETTINGS, OnceListener.NONE);
        assertThatThrownBy(() -> once.atomic(call("k"), tx -> {
                    faulty.goDown();
                    try {
                        tx.read(id("a"));
                    } catch (StoreException hidden) {
                        throw new IllegalStateException("hidden");
                    } finally {
                        faulty.comeUp();
                    }
                    return Response.of("done");
                }))
                .isInstanceOf(StoreException.class);
        assertThat(stored(call("k"))).isNull();
    }

    @Test
    default void operationThatKeepsConflicting_fails_andWritesNothing() {
        FaultyStore faulty = new FaultyStore(store());
        AtomicInteger version = new AtomicInteger();
        commit(Map.of(), document("hot", 1, "0"));
        faulty.beforeCommit(() -> {
            long next = 2L + version.getAndIncrement();
            commit(Map.of(), document("hot", next, "0"));
        });
        Outcome outcome = newOnce(faulty, SETTINGS, OnceListener.NONE).atomic(call("k"), tx -> {
            tx.read(id("hot"));
            tx.put(document("hot", 9_999, "1"), List.of());
            return Response.of("done");
        });
        assertThat(((Outcome.Failed) outcome).cause()).isInstanceOf(WriteConflictException.class);
        assertThat(documents().read(id("hot")).orElseThrow().version()).isNotEqualTo(9_999);
        assertThat(Objects.requireNonNull(stored(call("k"))).status()).isEqualTo(Status.FAILED);
    }

    /** After any other exception than StoreException, the outcome of the commit is unknown. */
    @Test
    default void commitWithAnUnexpectedException_isNeverTakenForFailed() {
        FaultyStore breaking = new FaultyStore(store());
        breaking.beforeCommit(() -> {
            throw new IllegalStateException("broken");
        });
        Once once = newOnce(breaking, SETTINGS, OnceListener.NONE);
        assertThatThrownBy(() -> run(once, Mode.ATOMIC, call("k"), () -> Response.of("done")))
                .isInstanceOf(StoreException.class);
        assertThat(stored(call("k"))).isNull();
    }

    @Test
    default void endedTransaction_rejectsReads() {
        List<Transaction> kept = new ArrayList<>();
        newOnce().atomic(call("k"), tx -> {
            kept.add(tx);
            return Response.of("done");
        });
        assertThatThrownBy(() -> kept.get(0).read(id("a"))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    default void refusalOfAnAtomicOperation_isFinal_andNothingItWroteStays() {
        Call call = call("k");
        Response refusal = Response.of(404, Map.of(), new byte[] {1}).asRefusal();
        Outcome first = newOnce().atomic(call, tx -> {
            tx.expectAbsent(id("a"));
            tx.put(document("a", 1, "1"), List.of());
            return refusal;
        });
        assertThat(((Outcome.Executed) first).response()).isEqualTo(refusal);
        assertThat(documents().read(id("a"))).isEmpty();
        Outcome retry = run(Mode.ATOMIC, call, "must not run");
        assertThat(((Outcome.Replayed) retry).response()).isEqualTo(refusal);
    }

    @Test
    default void hangingAtomicOperation_blocksNoRetry_afterTheLongestRun() throws Exception {
        Once once = newOnce();
        Call call = call("k");
        ExecutorService threads = Executors.newCachedThreadPool();
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch sign = new CountDownLatch(1);
        try {
            Future<Outcome> hanging = threads.submit(() -> run(once, Mode.ATOMIC, call, () -> {
                running.countDown();
                sign.await();
                return Response.of("late");
            }));
            running.await();
            assertThat(run(once, Mode.ATOMIC, call, () -> Response.of("no"))).isInstanceOf(Outcome.InProgress.class);
            time().advance(SETTINGS.longestRun().plusSeconds(1));
            assertThat(run(once, Mode.ATOMIC, call, () -> Response.of("second")))
                    .isInstanceOf(Outcome.Executed.class);
            sign.countDown();
            assertThat(((Outcome.Replayed) hanging.get()).response()).isEqualTo(Response.of("second"));
        } finally {
            threads.shutdownNow();
        }
    }
}
