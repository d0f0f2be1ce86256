package dev.semel.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.semel.json.Fingerprint;
import dev.semel.once.Call;
import dev.semel.once.Outcome;
import dev.semel.store.IdempotencyKey;
import dev.semel.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Keys in transactions of Spring, and Spring's templates in transactions of Semel. */
class TransactionTest {

    private static final int RACERS = 8;

    private final Charges charges = Environment.charges();
    private final Payments payments = Environment.payments();
    private final String order = Environment.newOrder();
    private final Call call = Call.of(new IdempotencyKey("ann", "pay", order), Fingerprint.ofJson("1"));
    private final Call waiting = call.waiting(Duration.ofSeconds(30));

    private static <T> List<Future<T>> race(List<Callable<T>> racers) {
        ExecutorService threads = Executors.newFixedThreadPool(racers.size());
        CyclicBarrier start = new CyclicBarrier(racers.size());
        try {
            List<Future<T>> results = new ArrayList<>();
            for (Callable<T> racer : racers) {
                results.add(threads.submit(() -> {
                    start.await();
                    return racer.call();
                }));
            }
            return results;
        } finally {
            threads.shutdown();
        }
    }

    @AfterEach
    void noConnectionIsLeftInUse() {
        assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                .isFalse();
        Eventually.assertHolds(
                () -> assertThat(Environment.connectionsInUse()).isZero()); // requests of earlier tests may still be ending
    }

    @Test
    void commit_recordsTheKeyWithTheCharge() {
        assertThat(payments.payWithinSpring(call, order)).isInstanceOf(Outcome.Executed.class);
        Outcome retry = payments.payWithinSpring(call, order);
        assertThat(retry).isInstanceOf(Outcome.Replayed.class);
        assertThat(retry.orElseThrow().text()).isEqualTo("charged " + order);
        assertThat(charges.count(order)).isEqualTo(1);
    }

    @Test
    void rollback_leavesNeitherKeyNorCharge() {
        assertThatThrownBy(() -> payments.payWithinSpringAndThrow(call, order))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("The transaction is rolled back");
        assertThat(charges.count(order)).isZero();
        assertThat(payments.payWithinSpring(call, order)).isInstanceOf(Outcome.Executed.class);
        assertThat(charges.count(order)).isEqualTo(1);
    }

    @Test
    void racingRetries_chargeOnce() throws Exception {
        List<Callable<Outcome>> racers = new ArrayList<>();
        for (int i = 0; i < RACERS; i++) {
            racers.add(() -> payments.payWithinSpring(waiting, order));
        }
        int executed = 0;
        for (Future<Outcome> outcome : race(racers)) {
            executed += outcome.get() instanceof Outcome.Executed ? 1 : 0;
            assertThat(outcome.get().orElseThrow().text()).isEqualTo("charged " + order);
        }
        assertThat(executed).isEqualTo(1);
        assertThat(charges.count(order)).isEqualTo(1);
    }

    /** Half of the transactions are rolled back. A retry after them may win. */
    @Test
    void racingRetriesThatAreRolledBack_chargeOnce() throws Exception {
        List<Callable<@Nullable Throwable>> racers = new ArrayList<>();
        for (int i = 0; i < RACERS; i++) {
            boolean isRolledBack = i % 2 == 0;
            racers.add(() -> catchThrowable(() -> {
                Outcome outcome = isRolledBack
                        ? payments.payWithinSpringAndThrow(waiting, order)
                        : payments.payWithinSpring(waiting, order);
                outcome.orElseThrow();
            }));
        }
        for (Future<@Nullable Throwable> result : race(racers)) {
            Throwable thrown = result.get();
            if (thrown != null) {
                assertThat(thrown).hasMessage("The transaction is rolled back");
            }
        }
        assertThat(charges.count(order)).isEqualTo(1);
    }

    /** The operation joins the transaction of its caller, with a template on both sides. */
    @Test
    void operationWithinSpring_isCommittedAndRolledBackWithIt() {
        assertThatThrownBy(() -> payments.joinSpringAndThrow(call, order))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("The transaction is rolled back");
        assertThat(charges.count(order)).isZero();
        assertThat(payments.joinSpring(call, order)).isInstanceOf(Outcome.Executed.class);
        assertThat(payments.joinSpring(call, order)).isInstanceOf(Outcome.Replayed.class);
        assertThat(charges.count(order)).isEqualTo(1);
    }

    @Test
    void racingOperationsWithinSpring_chargeOnce() throws Exception {
        List<Callable<@Nullable Throwable>> racers = new ArrayList<>();
        for (int i = 0; i < RACERS; i++) {
            boolean isRolledBack = i % 2 == 0;
            racers.add(() -> catchThrowable(() -> {
                Outcome outcome = isRolledBack
                        ? payments.joinSpringAndThrow(waiting, order)
                        : payments.joinSpring(waiting, order);
                outcome.orElseThrow();
            }));
        }
        for (Future<@Nullable Throwable> result : race(racers)) {
            Throwable thrown = result.get();
            if (thrown != null) {
                assertThat(thrown).hasMessage("The transaction is rolled back");
            }
        }
        assertThat(charges.count(order)).isEqualTo(1);
    }

    /** The caller overlooks the outcome. */
    @Test
    void failedOperationWithinSpring_rollsSpringsTransactionBack() {
        assertThatThrownBy(() -> payments.reserveAndFailWithTemplate(call, order))
                .isInstanceOf(UnexpectedRollbackException.class);
        assertThat(charges.count(order)).isZero();
        assertThat(payments.payWithTemplate(call, order)).isInstanceOf(Outcome.Executed.class);
    }

    /** A constraint is checked at the commit, which is Spring's. */
    @Test
    void commitThatFails_leavesNoCharge() {
        assertThat(payments.payAndBreakTheCommit(call, order)).isInstanceOf(Outcome.Failed.class);
        assertThat(charges.count(order)).isZero();
        assertThat(payments.payWithTemplate(call, order)).isInstanceOf(Outcome.Executed.class);
        assertThat(charges.count(order)).isEqualTo(1);
    }

    @Test
    void refusal_leavesNoCharge() {
        for (Class<?> outcome : List.of(Outcome.Executed.class, Outcome.Replayed.class)) {
            assertThat(payments.chargeAndRefuse(call, order)).isInstanceOf(outcome);
        }
        assertThat(charges.count(order)).isZero();
    }

    @Test
    void templateInAnOperation_joinsItsTransaction() {
        assertThat(payments.payWithTemplate(call, order)).isInstanceOf(Outcome.Executed.class);
        assertThat(payments.payWithTemplate(call, order)).isInstanceOf(Outcome.Replayed.class);
        assertThat(charges.count(order)).isEqualTo(1);
    }

    @Test
    void templateInAnOperationThatFails_leavesNoCharge() {
        assertThat(payments.payWithTemplateAndThrow(call, order)).isInstanceOf(Outcome.Failed.class);
        assertThat(charges.count(order)).isZero();
        assertThat(payments.payWithTemplate(call, order)).isInstanceOf(Outcome.Executed.class);
        assertThat(charges.count(order)).isEqualTo(1);
    }

    /** More callers than the connections of the pool. Each needs one connection only. */
    @Test
    void moreOperationsThanConnections_complete() throws Exception {
        List<Callable<Integer>> racers = new ArrayList<>();
        for (int i = 0; i < 3 * RACERS; i++) {
            String another = Environment.newOrder();
            Call anotherCall = Call.of(new IdempotencyKey("ann", "pay", another), Fingerprint.ofJson("1"));
            racers.add(() -> {
                payments.payWithTemplate(anotherCall, another).orElseThrow();
                return charges.count(another);
            });
        }
        for (Future<Integer> count : race(racers)) {
            assertThat(count.get()).isEqualTo(1);
        }
    }

    /** The caller ignores the outcome, but must not commit what it wrote before. */
    @Test
    void failedOutcome_rollsSpringsTransactionBack() {
        var unused = catchThrowable(() -> payments.reserveAndFail(call, order));
        assertThat(charges.count(order)).isZero();
    }
}
