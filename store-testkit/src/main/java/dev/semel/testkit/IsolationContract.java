package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.json.Fingerprint;
import dev.semel.once.Call;
import dev.semel.once.Outcome;
import dev.semel.store.IdempotencyKey;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A user neither sees, replays nor changes the keys of another user. */
public interface IsolationContract extends StoreFixture {

    private static Call of(String user, String endpoint, String key) {
        return Call.of(new IdempotencyKey(user, endpoint, key), Fingerprint.ofJson(PAYLOAD));
    }

    @ParameterizedTest
    @EnumSource
    default void sameKeyOfAnotherUserOrEndpoint_isAnotherKey(Mode mode) {
        List<Call> calls = List.of(
                of("ann", "POST /posts/1/likes", "k"),
                of("bob", "POST /posts/1/likes", "k"),
                of("ann", "POST /posts/2/likes", "k"),
                of("ann", "DELETE /posts/1/likes", "k"),
                of("annPOST", "/posts/1/likes", "k"),
                of("an", "nPOST /posts/1/likes", "k"),
                of("ann", "POST /posts/1/likes", "k2"),
                of("k", "POST /posts/1/likes", "ann"));
        for (int i = 0; i < calls.size(); i++) {
            assertThat(run(mode, calls.get(i), "response " + i)).isInstanceOf(Outcome.Executed.class);
        }
        for (int i = 0; i < calls.size(); i++) {
            Outcome retry = run(mode, calls.get(i), "must not run");
            assertThat(((Outcome.Replayed) retry).response().text()).isEqualTo("response " + i);
        }
    }
}
