package dev.semel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.outbox.Decision.AskLater;
import dev.semel.outbox.Decision.Confirm;
import dev.semel.outbox.Decision.Fail;
import dev.semel.outbox.Decision.LookUp;
import dev.semel.outbox.Decision.RefreshToken;
import dev.semel.outbox.Decision.Retry;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each cell of the table. */
class DecisionTableTest {

    private static final Instant NOW = Instant.parse("2026-01-07T12:00:00Z");
    private static final OutboxEntry ENTRY = new OutboxEntry(
            "00000000000-00000000",
            "key",
            "tx-1",
            "create_post",
            "POST",
            "/posts",
            "application/json",
            Payload.of("{}"),
            "lane",
            OutboxEntry.Status.PENDING,
            0,
            NOW,
            NOW,
            NOW,
            null,
            null,
            null);

    private static Decision decide(int status, String body, Map<String, String> headers) {
        Map<String, List<String>> values = new HashMap<>();
        headers.forEach((name, value) -> values.put(name, List.of(value)));
        Reply reply = new Reply.Received(status, HttpHeaders.of(values, (name, value) -> true), body, NOW);
        return DecisionTable.decide(ENTRY, reply, Proof.SEMEL);
    }

    private static Decision proven(int status) {
        return proven(status, "");
    }

    private static Decision proven(int status, String code) {
        return decide(status, "{\"code\":\"" + code + "\"}", Map.of("X-Client-Tx-Id", "tx-1"));
    }

    private static Decision notProven(int status) {
        return decide(status, "<html>Welcome</html>", Map.of("Content-Type", "text/html"));
    }

    private static Retry retry(Reason reason) {
        return new Retry(reason, Duration.ZERO);
    }

    @Test
    void noCompleteResponse_isRetried() {
        assertThat(DecisionTable.decide(ENTRY, new Reply.Lost("reset"), Proof.SEMEL))
                .isEqualTo(retry(Reason.NO_RESPONSE));
        assertThat(DecisionTable.decide(ENTRY, new Reply.NotSent("refused"), Proof.SEMEL))
                .isEqualTo(retry(Reason.NO_RESPONSE));
    }

    @Test
    void unsendableRequest_fails() {
        assertThat(DecisionTable.decide(ENTRY, new Reply.Unsendable("no host"), Proof.SEMEL))
                .isEqualTo(new Fail(Reason.INVALID));
    }

    @Test
    void success_withProof_confirms() {
        for (int status : new int[] {200, 201, 202, 204}) {
            assertThat(proven(status)).isEqualTo(new Confirm());
        }
        assertThat(decide(201, "", Map.of("Idempotency-Replayed", "true"))).isEqualTo(new Confirm());
        assertThat(decide(201, "", Map.of("Idempotency-Expires", "2026-01-08T12:00:00Z")))
                .isEqualTo(new Confirm());
    }

    @Test
    void success_withoutProof_isRetried() {
        for (int status : new int[] {200, 201, 204}) {
            assertThat(notProven(status)).isEqualTo(retry(Reason.NOT_PROVEN));
        }
        assertThat(decide(200, "{}", Map.of("X-Client-Tx-Id", "of-another-entry")))
                .isEqualTo(retry(Reason.NOT_PROVEN));
    }

    @Test
    void redirect_withProof_fails() {
        assertThat(proven(308)).isEqualTo(new Fail(Reason.REDIRECTED));
    }

    @Test
    void redirect_withoutProof_isRetried() {
        assertThat(notProven(302)).isEqualTo(retry(Reason.REDIRECTED));
        assertThat(notProven(307)).isEqualTo(retry(Reason.REDIRECTED));
    }

    @Test
    void unauthorized_refreshesTheToken_withAndWithoutProof() {
        assertThat(proven(401)).isEqualTo(new RefreshToken());
        assertThat(notProven(401)).isEqualTo(new RefreshToken());
    }

    @Test
    void busy_isRetried_withAndWithoutProof() {
        for (int status : new int[] {408, 425, 429}) {
            assertThat(proven(status)).isEqualTo(retry(Reason.BUSY));
            assertThat(notProven(status)).isEqualTo(retry(Reason.BUSY));
        }
    }

    @Test
    void serverError_isRetried_withAndWithoutProof() {
        for (int status : new int[] {500, 501, 502, 503, 504, 511, 599}) {
            assertThat(proven(status)).isEqualTo(retry(Reason.SERVER_ERROR));
            assertThat(notProven(status)).isEqualTo(retry(Reason.SERVER_ERROR));
        }
    }

    @Test
    void inProgress_isRetried() {
        assertThat(proven(409, "in_progress")).isEqualTo(retry(Reason.IN_PROGRESS));
        assertThat(decide(409, "", Map.of("Retry-After", "2")))
                .isEqualTo(new Retry(Reason.IN_PROGRESS, Duration.ofSeconds(2)));
    }

    @Test
    void outcomeUnknown_isAskedLater() {
        assertThat(proven(409, "outcome_unknown")).isEqualTo(new AskLater());
        assertThat(decide(409, "{\"code\":\"outcome_unknown\"}", Map.of())).isEqualTo(retry(Reason.NOT_PROVEN));
    }

    @Test
    void anotherConflict_fails() {
        assertThat(proven(409, "id_taken")).isEqualTo(new Fail(Reason.REJECTED));
        assertThat(notProven(409)).isEqualTo(retry(Reason.NOT_PROVEN));
    }

    @Test
    void expiredKey_isLookedUp() {
        assertThat(proven(410, "key_expired")).isEqualTo(new LookUp());
        assertThat(proven(410, "ended")).isEqualTo(new Fail(Reason.REJECTED));
        assertThat(notProven(410)).isEqualTo(retry(Reason.NOT_PROVEN));
    }

    @Test
    void payloadMismatch_fails() {
        assertThat(proven(422, "payload_mismatch")).isEqualTo(new Fail(Reason.PAYLOAD_MISMATCH));
        assertThat(proven(422, "too_short")).isEqualTo(new Fail(Reason.REJECTED));
        assertThat(notProven(422)).isEqualTo(retry(Reason.NOT_PROVEN));
    }

    @Test
    void anyOtherClientError_withProof_fails() {
        for (int status : new int[] {400, 402, 403, 404, 405, 413, 415, 428, 451}) {
            assertThat(proven(status)).isEqualTo(new Fail(Reason.REJECTED));
        }
    }

    @Test
    void anyOtherClientError_withoutProof_isRetried() {
        for (int status : new int[] {400, 403, 404, 407, 413}) {
            assertThat(notProven(status)).isEqualTo(retry(Reason.NOT_PROVEN));
        }
    }

    @Test
    void retryAfterInSeconds_isALowerBound_for409And429And503() {
        for (int status : new int[] {409, 429, 503}) {
            assertThat(((Retry) decide(status, "", Map.of("Retry-After", "7"))).atLeast())
                    .isEqualTo(Duration.ofSeconds(7));
        }
        assertThat(((Retry) decide(500, "", Map.of("Retry-After", "7"))).atLeast())
                .isZero();
    }

    @Test
    void retryAfterAsADate_isComparedWithTheServersClock() {
        String date = "Wed, 21 Oct 2015 07:28:00 GMT";
        String later = "Wed, 21 Oct 2015 07:28:30 GMT";
        assertThat(((Retry) decide(503, "", Map.of("Retry-After", later, "Date", date))).atLeast())
                .isEqualTo(Duration.ofSeconds(30));
        assertThat(((Retry) decide(503, "", Map.of("Retry-After", "Wed, 7 Jan 2026 12:00:10 GMT"))).atLeast())
                .isEqualTo(Duration.ofSeconds(10));
        assertThat(((Retry) decide(503, "", Map.of("Retry-After", later))).atLeast())
                .isZero();
    }

    @Test
    void retryAfterThatIsMalformedOrHuge_isIgnoredOrBounded() {
        assertThat(((Retry) decide(503, "", Map.of("Retry-After", "soon"))).atLeast())
                .isZero();
        assertThat(((Retry) decide(503, "", Map.of("Retry-After", "-5"))).atLeast())
                .isZero();
        assertThat(((Retry) decide(503, "", Map.of("Retry-After", "9999999999"))).atLeast())
                .isEqualTo(DecisionTable.LONGEST_PAUSE);
    }
}
