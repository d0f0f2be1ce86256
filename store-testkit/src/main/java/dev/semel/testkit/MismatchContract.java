package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.Outcome;
import dev.semel.store.Response;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A key that was used with one payload is rejected with another. */
public interface MismatchContract extends StoreFixture {

    @ParameterizedTest
    @EnumSource
    default void payloadInAnotherRepresentation_isTheSame(Mode mode) {
        run(mode, call("k", "{\"amount\":100,\"to\":\"bob\"}"), "first");
        assertThat(run(mode, call("k", " { \"to\" : \"b\\u006fb\", \"amount\" : 1.0e2 } "), "must not run"))
                .isInstanceOf(Outcome.Replayed.class);
    }

    @ParameterizedTest
    @EnumSource
    default void payloadThatDiffersInOneDigit_isAnother(Mode mode) {
        run(mode, call("k", "{\"id\":9007199254740992}"), "first");
        assertThat(run(mode, call("k", "{\"id\":9007199254740993}"), "must not run"))
                .isEqualTo(new Outcome.Mismatch());
    }

    /** An atomic call in progress has no record yet, but its own process detects the mismatch. */
    @ParameterizedTest
    @EnumSource
    default void otherPayload_whileTheFirstRuns_isMismatch(Mode mode) {
        Once once = newOnce();
        Call call = call("k");
        Outcome first = run(once, mode, call, () -> {
            Call other = call("k", "{\"amount\":999}").waiting(Duration.ofSeconds(5));
            assertThat(run(once, mode, other, () -> Response.of("must not run")))
                    .isEqualTo(new Outcome.Mismatch());
            return Response.of("first");
        });
        assertThat(first).isInstanceOf(Outcome.Executed.class);
    }
}
