package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static dev.semel.testkit.StoreFixture.id;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.Outcome;
import dev.semel.store.Capability;
import dev.semel.store.Response;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Every retry reads the recorded answer, byte for byte. */
public interface ReplayContract extends StoreFixture {

    private static Response replayed(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Replayed.class);
        return ((Outcome.Replayed) outcome).response();
    }

    @Test
    default void replay_isWhatTheFirstCallerSaw_byteForByte() {
        byte[] body = new byte[100_000];
        new SplittableRandom(1).nextBytes(body);
        Response response = Response.of(201, Map.of("Content-Type", "application/json", "X", ""), body);
        for (Mode mode : modes()) {
            Call call = call("k-" + mode);
            run(newOnce(), mode, call, () -> response);
            for (int i = 0; i < 3; i++) {
                assertThat(replayed(run(mode, call, "must not run"))).isEqualTo(response);
            }
        }
    }

    @Test
    default void answerThatLooksLikeDeeplyNestedJson_isKept() {
        String closed = "[\"\\\"" + "]".repeat(400_000) + "\",";
        for (String text : List.of("[".repeat(500_000), closed + "[".repeat(100_000))) {
            Response deep = Response.of(text);
            for (Mode mode : modes()) {
                Call call = call("k-" + mode + text.length());
                run(newOnce(), mode, call, () -> deep);
                assertThat(replayed(run(mode, call, "must not run"))).isEqualTo(deep);
            }
        }
    }

    @Test
    default void replay_ofAnEmptyAnswer_isEmpty() {
        for (Mode mode : modes()) {
            Call call = call("k-" + mode);
            run(newOnce(), mode, call, () -> Response.of(204, Map.of(), new byte[0]));
            assertThat(replayed(run(mode, call, "must not run"))).isEqualTo(Response.of(204, Map.of(), new byte[0]));
        }
    }

    @Test
    default void executedOutcome_saysUntilWhenItIsKept() {
        for (Mode mode : modes()) {
            Outcome outcome = run(mode, call("k-" + mode), "done");
            assertThat(((Outcome.Executed) outcome).expiresAt())
                    .isEqualTo(time().instant().plus(SETTINGS.retention()));
        }
    }

    @Test
    default void refusal_isFinal_andNothingItWroteStays() {
        needs(Capability.COMMIT);
        Call call = call("k");
        Response refusal = Response.of(404, Map.of(), new byte[] {1}).asRefusal();
        Outcome first = newOnce().atomic(call, tx -> {
            tx.expectAbsent(id("a"));
            tx.put(document("a", 1, "1"), List.of());
            return refusal;
        });
        assertThat(((Outcome.Executed) first).response()).isEqualTo(refusal);
        assertThat(store().read(id("a"))).isEmpty();
        assertThat(replayed(run(Mode.ATOMIC, call, "must not run"))).isEqualTo(refusal);
    }

    @Test
    default void refusalOfALeasedOperation_isFinal() {
        Call call = call("k");
        Response refusal = Response.of("no").asRefusal();
        run(newOnce(), Mode.LEASED, call, () -> refusal);
        assertThat(replayed(run(Mode.LEASED, call, "must not run"))).isEqualTo(refusal);
    }

    @Test
    default void answerOverTheLimit_goesToTheFirstCallerWhole_andIsNeverRunAgain() {
        Once once = newOnce(store(), SETTINGS.withResponseLimit(10), OnceListener.NONE);
        AtomicInteger runs = new AtomicInteger();
        Response large = Response.of(201, Map.of(), new byte[11]);
        for (Mode mode : modes()) {
            Call call = call("k-" + mode);
            Outcome first = run(once, mode, call, () -> {
                runs.incrementAndGet();
                return large;
            });
            assertThat(((Outcome.Executed) first).response()).isEqualTo(large);
            Response kept = replayed(run(mode, call, "must not run"));
            assertThat(kept.isKept()).isFalse();
            assertThat(kept.status()).isEqualTo(201);
            assertThat(kept.body()).isEmpty();
        }
        assertThat(runs).hasValue(modes().size());
    }

    @Test
    default void answerAtTheLimit_isKept() {
        Once once = newOnce(store(), SETTINGS.withResponseLimit(10), OnceListener.NONE);
        for (Mode mode : modes()) {
            Call call = call("k-" + mode);
            run(once, mode, call, () -> Response.of(200, Map.of(), new byte[10]));
            assertThat(replayed(run(mode, call, "must not run")).isKept()).isTrue();
        }
    }
}
