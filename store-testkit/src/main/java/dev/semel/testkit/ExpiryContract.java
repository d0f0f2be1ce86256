package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.Outcome;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The retention of an idempotency record starts with its completion. After it the key is new. */
public interface ExpiryContract extends StoreFixture {

    @ParameterizedTest
    @EnumSource
    default void retention_isCountedFromTheCompletion(Mode mode) {
        Call call = call("k");
        run(newOnce(), mode, call, () -> {
            time().advance(Duration.ofMinutes(10));
            return Response.of("slow");
        });
        assertThat(Objects.requireNonNull(stored(call)).deadline())
                .isEqualTo(time().instant().plus(SETTINGS.retention()));
    }

    @ParameterizedTest
    @EnumSource
    default void replays_doNotExtendTheRetention(Mode mode) {
        Call call = call("k");
        run(mode, call, "first");
        time().advance(Duration.ofHours(23));
        assertThat(run(mode, call, "must not run")).isInstanceOf(Outcome.Replayed.class);
        time().advance(Duration.ofHours(1));
        assertThat(run(mode, call, "second")).isInstanceOf(Outcome.Executed.class);
    }

    @ParameterizedTest
    @EnumSource
    default void reuseOfAnExpiredKey_isReported(Mode mode) {
        List<String> reused = new ArrayList<>();
        Once once = newOnce(store(), SETTINGS, new OnceListener() {
            @Override
            public void expiredKeyReused(IdempotencyKey key) {
                reused.add(key.key());
            }
        });
        Call call = call("k");
        run(once, mode, call, () -> Response.of("first"));
        run(once, mode, call, () -> Response.of("must not run"));
        assertThat(reused).isEmpty();
        time().advance(SETTINGS.retention());
        run(once, mode, call, () -> Response.of("second"));
        assertThat(reused).containsExactly(call.key().key());
    }

    @ParameterizedTest
    @EnumSource
    default void expiredFailure_isANewKey(Mode mode) {
        Call call = call("k");
        run(newOnce(), mode, call, () -> {
            throw new IllegalStateException("first");
        });
        time().advance(SETTINGS.failedRetention());
        assertThat(((Outcome.Executed) run(mode, call, "second")).attempt()).isEqualTo(1);
    }

    @Test
    default void liveLease_neverExpires() {
        Call call = call("k");
        newOnce(store(), SETTINGS.withLease(Duration.ofHours(3)).withLongestRun(Duration.ofDays(9)), OnceListener.NONE)
                .leased(call, IfAbandoned.RERUN, lease -> {
                    time().advance(Duration.ofDays(8));
                    assertThat(run(Mode.LEASED, call, "must not run")).isInstanceOf(Outcome.InProgress.class);
                    return Response.of("done");
                });
    }
}
