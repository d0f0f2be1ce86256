package dev.semel.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.json.Json;
import dev.semel.outbox.EntryCodec.UnreadableException;
import dev.semel.outbox.OutboxEntry.Response;
import dev.semel.outbox.OutboxEntry.Status;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class EntryCodecTest {

    private static final String ID =
            EntryId.of(1_767_787_200_123_456L, EntryId.digest("ann")).key();

    private static OutboxEntry entry(
            Payload payload, @Nullable Reason reason, @Nullable String error, @Nullable Response response) {
        return new OutboxEntry(
                ID,
                "key",
                "tx",
                "create_post",
                "POST",
                "/v1/feed/posts?a=b",
                "application/json",
                payload,
                "ann \uD83D\uDE00",
                reason == null ? Status.PENDING : Status.FAILED,
                7,
                Instant.parse("2026-01-07T12:00:01.000001Z"),
                Instant.parse("2026-01-07T12:00:00Z"),
                reason == null ? null : Instant.parse("2026-01-07T12:00:00.5Z"),
                reason,
                error,
                response);
    }

    private static OutboxEntry minimal(Payload payload) {
        return entry(payload, null, null, null);
    }

    private static OutboxEntry decode(String json) throws UnreadableException {
        return EntryCodec.decode(ID, Json.of(json));
    }

    private static void assertRoundTrip(OutboxEntry entry) throws UnreadableException {
        Json encoded = EntryCodec.encode(entry);
        assertThat(decode(encoded.text())).isEqualTo(entry); // which checks that it is JSON
    }

    @Test
    void entry_isDecodedAsItWasEncoded() throws Exception {
        assertRoundTrip(minimal(Payload.of("{\"text\":\"hello\"}")));
        assertRoundTrip(minimal(Payload.of("")));
        assertRoundTrip(entry(Payload.of("1"), Reason.REJECTED, "because", new Response(400, "no\u0000\n\u2028")));
    }

    @ParameterizedTest
    @EnumSource
    void everyReason_isDecodedAsItWasEncoded(Reason reason) throws Exception {
        assertRoundTrip(entry(Payload.of("1"), reason, null, null));
    }

    @Test
    void payloadOfAnyBytes_isDecodedByteForByte() throws Exception {
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        assertRoundTrip(minimal(Payload.of(all)));
        assertRoundTrip(minimal(Payload.of(new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0x80}))); // half of a pair
        assertRoundTrip(minimal(Payload.of(new byte[] {(byte) 0xC0, (byte) 0x80}))); // an overlong null
        assertRoundTrip(
                minimal(Payload.of(new byte[] {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF, '1'}))); // a byte order mark
        assertRoundTrip(minimal(Payload.of("\u0000\u001F\u007F\uFFFD\uFFFF\uD83D\uDE00\"\\")));
        assertRoundTrip(minimal(Payload.of(new byte[Payload.MOST_BYTES])));
    }

    @Test
    void textPayload_isReadableInTheStore() {
        assertThat(EntryCodec.encode(minimal(Payload.of("héllo"))).text()).contains("\"payload\":\"héllo\"");
    }

    @Test
    void halfOfASurrogatePairInAnErrorOrAResponse_isReplaced() throws Exception {
        OutboxEntry cutShort =
                entry(Payload.of("1"), Reason.REJECTED, "a\uD83D", new Response(400, "\uDE00b\uD83D\uDE00"));
        OutboxEntry decoded = decode(EntryCodec.encode(cutShort).text());
        assertThat(decoded.lastError()).isEqualTo("a\uFFFD");
        assertThat(decoded.response()).isEqualTo(new Response(400, "\uFFFDb\uD83D\uDE00"));
    }

    @Test
    void unknownMembersAndReasons_areIgnored() throws Exception {
        OutboxEntry entry = entry(Payload.of("1"), Reason.REJECTED, "because", null);
        String json = EntryCodec.encode(entry).text();
        String newer = json.substring(0, json.length() - 1) + ",\"tags\":[{\"a\":[1,{}]}],\"priority\":3}";
        assertThat(decode(newer)).isEqualTo(entry);
        OutboxEntry decoded = decode(json.replace("\"rejected\"", "\"too_cold\""));
        assertThat(decoded.reason()).isNull();
        assertThat(decoded.lastError()).isEqualTo("because");
    }

    @Test
    void newerFormat_isReportedEvenIfItsMembersDiffer() {
        String json = EntryCodec.encode(minimal(Payload.of("1"))).text();
        assertThatThrownBy(() -> decode(json.replace("\"format\":1", "\"format\":2")))
                .isInstanceOf(UnreadableException.class)
                .hasMessageContaining("format 2")
                .hasMessageContaining("format 1");
        assertThatThrownBy(() -> decode("{\"format\":2,\"status\":{\"kind\":\"paused\"},\"payload\":[1]}"))
                .isInstanceOf(UnreadableException.class)
                .hasMessageContaining("format 2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "null",
                "\"x\"",
                "{\"format\":\"one\"}",
                "{\"format\":99999999999}",
                "{\"format\":1,\"status\":\"lost\"}",
                "{\"format\":1,\"createdAt\":\"yesterday\"}",
                "{\"format\":1,\"payloadBase64\":\"?\"}",
                "{\"format\":1,\"idempotencyKey\":{\"a\":1}}"
            })
    void damagedEntry_isReported(String json) {
        assertThatThrownBy(() -> decode(json))
                .isInstanceOf(UnreadableException.class)
                .hasMessageContaining("damaged")
                .hasMessageContaining(ID);
    }
}
