package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.Outcome;
import dev.semel.store.Response;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every retry returns the recorded response, byte for byte. */
public interface ReplayContract extends StoreFixture {

    private static Response replayed(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Replayed.class);
        return ((Outcome.Replayed) outcome).response();
    }

    @ParameterizedTest
    @EnumSource
    default void replay_isTheFirstResponse_byteForByte(Mode mode) {
        byte[] body = new byte[100_000];
        new SplittableRandom(1).nextBytes(body);
        Response response = Response.of(201, Map.of("Content-Type", "application/json", "X", ""), body);
        Call call = call("k");
        run(newOnce(), mode, call, () -> response);
        for (int i = 0; i < 3; i++) {
            assertThat(replayed(run(mode, call, "must not run"))).isEqualTo(response);
        }
    }

    @ParameterizedTest
    @EnumSource
    default void replay_keepsEveryCharacterOfAHeader(Mode mode) {
        Map<String, String> headers = Map.of(
                "lone surrogates", "a\uD800b\uDC00\uDC00c\uD800",
                "pair", "\uD83D\uDE00",
                "replacement", "\uFFFD",
                "controls", "\0\t\n\r\\",
                "\uDFFF", "in the name");
        Response response = Response.of(200, headers, new byte[] {1});
        Call call = call("k");
        run(newOnce(), mode, call, () -> response);
        assertThat(replayed(run(mode, call, "must not run"))).isEqualTo(response);
    }

    @ParameterizedTest
    @EnumSource
    default void responseThatLooksLikeDeeplyNestedJson_isKept(Mode mode) {
        String closed = "[\"\\\"" + "]".repeat(400_000) + "\",";
        for (String text : List.of("[".repeat(500_000), closed + "[".repeat(100_000))) {
            Response deep = Response.of(text);
            Call call = call("k-" + text.length());
            run(newOnce(), mode, call, () -> deep);
            assertThat(replayed(run(mode, call, "must not run"))).isEqualTo(deep);
        }
    }

    @ParameterizedTest
    @EnumSource
    default void replay_ofAnEmptyResponse_isEmpty(Mode mode) {
        Call call = call("k");
        run(newOnce(), mode, call, () -> Response.of(204, Map.of(), new byte[0]));
        assertThat(replayed(run(mode, call, "must not run"))).isEqualTo(Response.of(204, Map.of(), new byte[0]));
    }

    @ParameterizedTest
    @EnumSource
    default void executedOutcome_hasTheExpiryOfItsResponse(Mode mode) {
        Outcome outcome = run(mode, call("k"), "done");
        assertThat(((Outcome.Executed) outcome).expiresAt())
                .isEqualTo(time().instant().plus(SETTINGS.retention()));
    }

    @Test
    default void refusalOfALeasedOperation_isFinal() {
        Call call = call("k");
        Response refusal = Response.of("no").asRefusal();
        run(newOnce(), Mode.LEASED, call, () -> refusal);
        assertThat(replayed(run(Mode.LEASED, call, "must not run"))).isEqualTo(refusal);
    }

    @ParameterizedTest
    @EnumSource
    default void responseOverTheLimit_goesToTheFirstCallerWhole_andIsNeverRunAgain(Mode mode) {
        Once once = newOnce(store(), SETTINGS.withResponseLimit(10), OnceListener.NONE);
        AtomicInteger runs = new AtomicInteger();
        Response large = Response.of(201, Map.of(), new byte[11]);
        Call call = call("k");
        Outcome first = run(once, mode, call, () -> {
            runs.incrementAndGet();
            return large;
        });
        assertThat(((Outcome.Executed) first).response()).isEqualTo(large);
        Response kept = replayed(run(mode, call, "must not run"));
        assertThat(kept.isKept()).isFalse();
        assertThat(kept.status()).isEqualTo(201);
        assertThat(kept.body()).isEmpty();
        assertThat(runs).hasValue(1);
    }

    @ParameterizedTest
    @EnumSource
    default void responseAtTheLimit_isKept(Mode mode) {
        Once once = newOnce(store(), SETTINGS.withResponseLimit(10), OnceListener.NONE);
        Call call = call("k");
        run(once, mode, call, () -> Response.of(200, Map.of(), new byte[10]));
        assertThat(replayed(run(mode, call, "must not run")).isKept()).isTrue();
    }
}
