package dev.semel.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PayloadTest {

    @Test
    void bytes_areCopied() {
        byte[] bytes = {1, 2};
        Payload payload = Payload.of(bytes);
        bytes[0] = 9;
        payload.bytes()[1] = 9;
        assertThat(payload.bytes()).containsExactly(1, 2);
        assertThat(payload.length()).isEqualTo(2);
    }

    @Test
    void text_isEncodedInUtf8() {
        Payload payload = Payload.of("h\u00E9\uD83D\uDE00");
        assertThat(payload.bytes()).isEqualTo("h\u00E9\uD83D\uDE00".getBytes(UTF_8));
        assertThat(payload.text()).isEqualTo("h\u00E9\uD83D\uDE00");
        assertThat(payload).isEqualTo(Payload.of(payload.bytes())).hasSameHashCodeAs(Payload.of(payload.bytes()));
        assertThat(payload).isNotEqualTo(Payload.of("h"));
    }

    @Test
    void halfOfASurrogatePair_isRejected() {
        for (String half : new String[] {"\uD83D", "a\uDE00", "\uDE00\uD83D"}) {
            assertThatThrownBy(() -> Payload.of(half))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("surrogate");
        }
    }

    @Test
    void payloadOverOneMebibyte_isRejected() {
        assertThat(Payload.of(new byte[1 << 20]).length()).isEqualTo(1_048_576);
        assertThatThrownBy(() -> Payload.of(new byte[(1 << 20) + 1]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("The payload has 1048577 bytes; the most is 1048576");
        assertThatThrownBy(() -> Payload.of("\u00E9".repeat((1 << 19) + 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1048578 bytes");
    }

    @Test
    void content_isNotLogged() {
        assertThat(Payload.of("secret")).hasToString("Payload[6 bytes]");
        assertThat(new OutboxEntry.Response(200, "secret")).hasToString("Response[200, 6 characters]");
    }
}
