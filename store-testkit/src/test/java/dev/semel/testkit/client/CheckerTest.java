package dev.semel.testkit.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.client.Scenario.Range;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The checker reports each kind of violation, and nothing else. */
class CheckerTest {

    private static final long SECOND = 1_000_000_000;

    private final Scenario scenario = new Scenario(
            "test",
            "a test",
            List.of(
                    entry("a1", "a", "confirmed", 1, new Range(2, 3), List.of(Duration.ofSeconds(1)), 2),
                    entry("a2", "a", "confirmed", 1, new Range(1, 1), List.of(), 0),
                    entry("b1", "b", "failed", 0, new Range(1, 1), List.of(), 0)),
            List.of());
    private final List<Attempt> attempts = new ArrayList<>();
    private final List<ClientDriver.Entry> states = new ArrayList<>();
    private final List<String> effects = new ArrayList<>();

    private static Scenario.Entry entry(
            String name, String lane, String status, int effects, Range attempts, List<Duration> pauses, int tokens) {
        String error = status.equals("failed") ? "rejected" : "";
        return new Scenario.Entry(
                name, lane, "POST", "/posts", null, List.of(), status, error, effects, attempts, pauses, tokens);
    }

    @BeforeEach
    void goWell() {
        attempts.add(attempt("a1", 1, "key-a1", "token-1", 0, 1));
        attempts.add(attempt("a1", 2, "key-a1", "token-2", 2, 3));
        attempts.add(attempt("b1", 1, "key-b1", "token-1", 0, 9));
        attempts.add(attempt("a2", 1, "key-a2", "token-2", 3, 4));
        states.add(state("a1", "confirmed", ""));
        states.add(state("a2", "confirmed", ""));
        states.add(state("b1", "failed", "400 rejected"));
        effects.addAll(List.of("another client's", "test/a1", "test/a2"));
    }

    private Attempt attempt(String name, int number, String key, String token, long started, long ended) {
        return attempt(name, number, key, "tx-" + name, token, started * SECOND, ended * SECOND);
    }

    private Attempt attempt(
            String name, int number, String key, String clientTxId, String token, long started, long ended) {
        String request = scenario.entries().stream()
                .filter(entry -> entry.name().equals(name))
                .map(entry -> scenario.request(entry).identity())
                .findFirst()
                .orElse("POST /unknown");
        return new Attempt(request, number, key, clientTxId, token, Fault.NONE, started, ended, 201, 201);
    }

    private static ClientDriver.Entry state(String name, String status, String error) {
        return new ClientDriver.Entry("id-" + name, "key-" + name, "tx-" + name, "lane", status, error);
    }

    private List<String> check() {
        return check(1);
    }

    private List<String> check(double speed) {
        Map<String, String> ids = Map.of("a1", "id-a1", "a2", "id-a2", "b1", "id-b1");
        return new Checker(scenario, ids, speed).check(attempts, states, effects);
    }

    @Test
    void runAsExpected_hasNoViolation() {
        assertThat(check()).isEmpty();
    }

    @Test
    void otherState_isReported() {
        states.set(0, state("a1", "failed", "500"));
        states.remove(1);
        states.set(1, state("b1", "failed", "another reason"));
        assertThat(check())
                .containsExactlyInAnyOrder(
                        "a1 is failed (500), not confirmed",
                        "a2 is gone, not confirmed",
                        "b1 has the error 'another reason', which does not contain 'rejected'");
    }

    @Test
    void tooManyOrTooFewAttempts_areReported() {
        attempts.remove(1);
        attempts.add(attempt("a2", 2, "key-a2", "token-2", 5, 6));
        assertThat(check())
                .containsExactlyInAnyOrder(
                        "a1 was sent 1 times, not 2 to 3 times",
                        "a1 was sent with 1 tokens, not with 2",
                        "a2 was sent 2 times, not 1 to 1 times");
    }

    @Test
    void pauseThatIsTooShort_isReported_onTheClientsClock() {
        attempts.set(1, attempt("a1", 2, "key-a1", "tx-a1", "token-2", SECOND + SECOND / 2, 3 * SECOND));
        assertThat(check()).containsExactly("a1 was sent again PT0.5S after attempt 1, not PT1S after it");
        assertThat(check(2)).isEmpty();
    }

    @Test
    void newKeyInALaterAttempt_isReported() {
        attempts.set(1, attempt("a1", 2, "another", "token-2", 2, 3));
        assertThat(check()).containsExactly("a1 has 2 keys");
    }

    @Test
    void newTransactionIdInALaterAttempt_isReported() {
        attempts.set(1, attempt("a1", 2, "key-a1", "another", "token-2", 2 * SECOND, 3 * SECOND));
        assertThat(check()).containsExactly("a1 has 2 transaction ids");
    }

    @Test
    void keyThatTheClientDoesNotShow_isReported() {
        attempts.set(3, attempt("a2", 1, "another", "token-2", 3, 4));
        assertThat(check()).containsExactly("a2 has 2 keys");
    }

    @Test
    void keyOfAnotherEntry_isReported() {
        attempts.set(2, attempt("b1", 1, "key-a1", "token-1", 0, 9));
        assertThat(check()).containsExactlyInAnyOrder("b1 has the key of a1", "b1 has 2 keys");
    }

    @Test
    void unknownRequest_isReported() {
        attempts.add(attempt("c1", 1, "key-c1", "token-2", 3, 4));
        assertThat(check()).containsExactly("an unknown request was sent: POST /unknown");
    }

    @Test
    void entryThatOvertakesAnother_isReported() {
        attempts.add(attempt("a1", 3, "key-a1", "token-2", 5, 6));
        assertThat(check()).containsExactly("a1 was sent after a2, which follows it");
    }

    @Test
    void entriesOfALaneAtOnce_areReported() {
        attempts.set(1, attempt("a1", 2, "key-a1", "tx-a1", "token-2", 2 * SECOND, 3 * SECOND + 1));
        assertThat(check()).containsExactly("a2 was sent while a1 of the same lane was in progress");
    }

    @Test
    void attemptThatHasNotEnded_isInProgress() {
        attempts.set(1, attempt("a1", 2, "key-a1", "tx-a1", "token-2", 2 * SECOND, Long.MAX_VALUE));
        assertThat(check()).containsExactly("a2 was sent while a1 of the same lane was in progress");
    }

    @Test
    void effectsThatAreMissingDoubledOrInAnotherOrder_areReported() {
        effects.clear();
        effects.addAll(List.of("test/a2", "test/a1", "test/a1", "test/b1"));
        assertThat(check())
                .containsExactlyInAnyOrder(
                        "a1 took effect 2 times, not 1",
                        "a2 took effect before an entry that was added earlier",
                        "b1 took effect 1 times, not 0");
        effects.clear();
        assertThat(check()).containsExactlyInAnyOrder("a1 took effect 0 times, not 1", "a2 took effect 0 times, not 1");
    }
}
