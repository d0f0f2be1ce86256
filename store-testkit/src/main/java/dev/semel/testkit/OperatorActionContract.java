package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OperatorAction;
import dev.semel.once.Outcome;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import dev.semel.store.admin.AdminStore;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Operators decide about keys that the engine cannot decide about. */
public interface OperatorActionContract extends StoreFixture {

    /** States of a key, with the actions that are possible in each. */
    enum State {
        ABSENT,
        RUNNING,
        ABANDONED,
        TO_FREEZE,
        UNKNOWN,
        COMPLETED,
        FAILED,
        EXPIRED
    }

    private Call keyIn(State state, String name) {
        Call call = call(name);
        switch (state) {
            case ABSENT -> {}
            case RUNNING -> claimAndCrash(call, IfAbandoned.RERUN);
            case ABANDONED, TO_FREEZE -> {
                claimAndCrash(call, state == State.ABANDONED ? IfAbandoned.RERUN : IfAbandoned.FREEZE);
                time().advance(SETTINGS.lease());
            }
            case UNKNOWN -> write(call, Precondition.ABSENT, Status.UNKNOWN, null, null);
            case FAILED -> write(call, Precondition.ABSENT, Status.FAILED, null, null);
            case COMPLETED -> write(call, Precondition.ABSENT, Status.COMPLETED, null, Response.of("first"));
            case EXPIRED -> {
                write(call, Precondition.ABSENT, Status.COMPLETED, null, Response.of("first"));
                time().advance(SETTINGS.retention());
            }
        }
        return call;
    }

    /** Performs an action, and returns the new record, or null if the action is not possible. */
    private @Nullable IdempotencyRecord perform(OperatorAction action, Call call) {
        IdempotencyWrite write = action.on(store().find(call.key()), SETTINGS, Response.of("by hand"));
        if (write == null) {
            return null;
        }
        CommitResult result = store().compareAndSet(newCommitId(), write);
        return Objects.requireNonNull(((CommitResult.Applied) result).record());
    }

    @Test
    default void action_isPossibleInItsStatesAlone_andARetrySeesIt() {
        for (State state : State.values()) {
            for (OperatorAction action : OperatorAction.values()) {
                boolean isPossible = switch (action) {
                    case RELEASE ->
                        List.of(State.RUNNING, State.ABANDONED, State.TO_FREEZE, State.UNKNOWN)
                                .contains(state);
                    case EXPIRE -> List.of(State.COMPLETED, State.FAILED).contains(state);
                    case COMPLETE ->
                        List.of(State.ABANDONED, State.TO_FREEZE, State.UNKNOWN, State.FAILED)
                                .contains(state);
                };
                Call call = keyIn(state, state + "-" + action);
                IdempotencyRecord before = stored(call);
                IdempotencyRecord after = perform(action, call);
                assertThat(after != null).as(call.key().key()).isEqualTo(isPossible);
                if (after == null) {
                    assertThat(stored(call)).isEqualTo(before);
                    continue;
                }
                Outcome retry = run(Mode.LEASED, call, "ran again");
                switch (action) {
                    case RELEASE ->
                        assertThat(((Outcome.Executed) retry).attempt()).isEqualTo(2);
                    case EXPIRE ->
                        assertThat(((Outcome.Executed) retry).attempt()).isEqualTo(1);
                    case COMPLETE ->
                        assertThat(((Outcome.Replayed) retry).response().text()).isEqualTo("by hand");
                }
            }
        }
    }

    @Test
    default void completion_ofAReleasedKey_isRejected() {
        Call call = call("k");
        Outcome late = newOnce().leased(call, IfAbandoned.FREEZE, lease -> {
            perform(OperatorAction.RELEASE, call);
            assertThat(run(Mode.LEASED, call, "the second").getClass()).isNotEqualTo(Outcome.Replayed.class);
            return Response.of("the first");
        });
        assertThat(late).isNotInstanceOf(Outcome.Executed.class);
        assertThat(Objects.requireNonNull(Objects.requireNonNull(stored(call)).response())
                        .text())
                .isEqualTo("the second");
    }

    /** The owner hangs, and the retry arrives in the same process. */
    @Test
    default void hangingOwner_blocksNoRetry_afterItsKeyWasReleased() {
        assertRetryRunsAfter(call -> perform(OperatorAction.RELEASE, call));
    }

    @Test
    @Needs(AdminStore.class)
    default void hangingOwner_blocksNoRetry_afterItsUserWasErased() {
        assertRetryRunsAfter(
                call -> ((AdminStore) store()).admin().erase(call.key().user(), false));
    }

    private void assertRetryRunsAfter(Consumer<Call> action) {
        Once once = newOnce();
        Call call = call("k");
        List<Object> seen = new ArrayList<>();
        once.leased(call, IfAbandoned.FREEZE, lease -> {
            seen.add(retryElsewhere(once, call).getClass());
            seen.add(lease.isHeld());
            action.accept(call);
            seen.add(retryElsewhere(once, call).getClass());
            seen.add(lease.isHeld());
            return Response.of("the first");
        });
        assertThat(seen).containsExactly(Outcome.InProgress.class, true, Outcome.Executed.class, false);
        Outcome third = run(once, Mode.LEASED, call, () -> Response.of("a third"));
        assertThat(((Outcome.Replayed) third).response().text()).isEqualTo("the second");
    }

    /** Retries in a separate thread, as another request would. */
    private Outcome retryElsewhere(Once once, Call call) {
        return CompletableFuture.supplyAsync(() -> run(once, Mode.LEASED, call, () -> Response.of("the second")))
                .join();
    }
}
