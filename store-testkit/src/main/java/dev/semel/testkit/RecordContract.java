package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.json.Fingerprint;
import dev.semel.once.Call;
import dev.semel.once.Outcome;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** An idempotency record is read as it was written, with any content. */
public interface RecordContract extends StoreFixture {

    @Test
    default void completedRecord_isReadAsItWasWritten() {
        Call call = call("k").withClientTxId("tx-1");
        Response response = Response.of(201, Map.of("Location", "/payments/1"), new byte[] {0, -1, 10});
        IdempotencyRecord written = write(call, Precondition.ABSENT, Status.COMPLETED, null, response);
        assertThat(stored(call)).isEqualTo(written);
        assertThat(written.key()).isEqualTo(call.key());
        assertThat(written.clientTxId()).isEqualTo("tx-1");
        assertThat(written.fingerprint()).isEqualTo(call.fingerprint());
        assertThat(written.response()).isEqualTo(response);
    }

    @Test
    default void claimedRecord_isReadAsItWasWritten() {
        for (IfAbandoned ifAbandoned : IfAbandoned.values()) {
            Call call = call("k-" + ifAbandoned);
            IdempotencyRecord written = claimAndCrash(call, ifAbandoned);
            assertThat(stored(call)).isEqualTo(written);
            assertThat(written.ifAbandoned()).isEqualTo(ifAbandoned);
            assertThat(written.response()).isNull();
        }
    }

    /** Leases and retentions are compared with the clock, and a renewal is detected by its deadline. */
    @Test
    default void times_areKeptToTheMicrosecond() {
        time().advance(Duration.of(123_457, ChronoUnit.MICROS));
        Instant now = time().instant();
        IdempotencyRecord written = claimAndCrash(call("k"), IfAbandoned.FREEZE);
        assertThat(written.createdAt()).isEqualTo(now);
        assertThat(written.deadline()).isEqualTo(now.plus(SETTINGS.lease()));
        assertThat(stored(call("k"))).isEqualTo(written);
    }

    @Test
    default void longestKeyAndTransactionId_areKept() {
        String endpoint = "POST /" + "\u00e9".repeat(IdempotencyKey.LONGEST_ENDPOINT - 6);
        IdempotencyKey key = new IdempotencyKey("u".repeat(255), endpoint, "k".repeat(255));
        Call call = Call.of(key, Fingerprint.ofJson(PAYLOAD)).withClientTxId("t".repeat(255));
        IdempotencyRecord written = write(call, Precondition.ABSENT, Status.FAILED, null, null);
        assertThat(written.key()).isEqualTo(key);
        assertThat(written.clientTxId()).isEqualTo("t".repeat(255));
        assertThat(stored(call)).isEqualTo(written);
    }

    @Test
    default void user_mayHaveAnyName() {
        for (Mode mode : modes()) {
            for (String user : USERS) {
                assertThat(run(mode, callOf(user, mode, "k"), "of " + user)).isInstanceOf(Outcome.Executed.class);
            }
            for (String user : USERS) {
                Outcome again = run(mode, callOf(user, mode, "k"), "must not run");
                assertThat(again.orElseThrow().text()).isEqualTo("of " + user);
                assertThat(again).isInstanceOf(Outcome.Replayed.class);
                assertThat(Objects.requireNonNull(stored(callOf(user, mode, "k")))
                                .key()
                                .user())
                        .isEqualTo(user);
            }
        }
    }

    @Test
    default void key_mayBeAnyStringOfRfc8941() {
        List<String> keys = List.of("a b", " a b ", "\"a\\b\"", "a/b", "..", "{a,b}", "'; --", "50%_", "~".repeat(255));
        for (Mode mode : modes()) {
            for (String key : keys) {
                assertThat(run(mode, callOf("ann", mode, key), "of " + key)).isInstanceOf(Outcome.Executed.class);
            }
            for (String key : keys) {
                Outcome again = run(mode, callOf("ann", mode, key), "must not run");
                assertThat(again.orElseThrow().text()).isEqualTo("of " + key);
            }
        }
    }

    private static Call callOf(String user, Mode mode, String key) {
        return Call.of(new IdempotencyKey(user, "POST /" + mode, key), Fingerprint.ofJson(PAYLOAD));
    }

    @Test
    default void keysThatDifferInCaseOrInTheirEnd_areDifferent() {
        Fingerprint fingerprint = Fingerprint.ofJson(PAYLOAD);
        String longest = "/" + "p".repeat(IdempotencyKey.LONGEST_ENDPOINT - 2);
        List<IdempotencyKey> keys = List.of(
                new IdempotencyKey("ann", "POST /a", "k"),
                new IdempotencyKey("Ann", "POST /a", "k"),
                new IdempotencyKey("ann", "POST /A", "k"),
                new IdempotencyKey("ann", "POST /a", "K"),
                new IdempotencyKey("ann", "POST /a/", "k"),
                new IdempotencyKey("ann", longest + "1", "k"),
                new IdempotencyKey("ann", longest + "2", "k"));
        for (IdempotencyKey key : keys) {
            write(Call.of(key, fingerprint), Precondition.ABSENT, Status.COMPLETED, null, Response.of(key.toString()));
        }
        for (IdempotencyKey key : keys) {
            Response response =
                    Objects.requireNonNull(stored(Call.of(key, fingerprint))).response();
            assertThat(response).isEqualTo(Response.of(key.toString()));
        }
    }

    @Test
    default void largestResponse_isKeptByteForByte() {
        byte[] body = new byte[SETTINGS.responseLimit()];
        for (int i = 0; i < body.length; i++) {
            body[i] = (byte) (i * 31 + i / 256);
        }
        assertReadAsWritten("large", Response.of(200, Map.of(), body));
    }

    @Test
    default void everyKindOfResponse_isKept() {
        Map<String, String> headers =
                Map.of("X-Empty", "", "X-Text", "a: b, c=\"d\"; \u00e9\t|", "Location", "/p/1?a=b&c");
        assertReadAsWritten("headers", Response.of(201, headers, new byte[] {13, 10, 0, -1, 127, -128}));
        assertReadAsWritten("empty", Response.of(204, Map.of(), new byte[0]));
        assertReadAsWritten("refusal", Response.of("no").asRefusal());
        assertReadAsWritten("not-kept", Response.of("too large").notKept());
        assertReadAsWritten(
                "refusal-not-kept", Response.of("too large").asRefusal().notKept());
    }

    private void assertReadAsWritten(String key, Response response) {
        IdempotencyRecord written = write(call(key), Precondition.ABSENT, Status.COMPLETED, null, response);
        assertThat(written.response()).isEqualTo(response);
        @Nullable Response read = Objects.requireNonNull(stored(call(key))).response();
        assertThat(read).isEqualTo(response);
        assertThat(Arrays.equals(Objects.requireNonNull(read).body(), response.body()))
                .isTrue();
    }
}
