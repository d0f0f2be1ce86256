package dev.semel.testkit.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages are read with their exact bytes. */
class MessageTest {

    private static final String CHUNKED =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n";

    private static InputStream in(String text) {
        return new ByteArrayInputStream(text.getBytes(UTF_8));
    }

    private static Message response(String text) throws IOException {
        return Objects.requireNonNull(Message.read(in(text), true));
    }

    @Test
    void messagesWithALength_followEachOther() throws IOException {
        InputStream in =
                in("POST /a?b HTTP/1.1\r\nIDEMPOTENCY-KEY:  k \r\nContent-Length: 3\r\n\r\nabcPUT /c HTTP/1.1\r\n\r\n");
        Message first = Objects.requireNonNull(Message.read(in, false));
        assertThat(first.identity()).isEqualTo("POST /a?b abc");
        assertThat(first.header("Idempotency-Key")).isEqualTo("k");
        assertThat(first.hasHeader("X-Client-Tx-Id")).isFalse();
        assertThat(Objects.requireNonNull(Message.read(in, false)).identity()).isEqualTo("PUT /c ");
        assertThat(Message.read(in, false)).isNull();
    }

    @Test
    void chunkedMessage_keepsItsFraming() throws IOException {
        Message message = response(CHUNKED);
        assertThat(message.status()).isEqualTo(200);
        assertThat(message.text()).isEqualTo("abcde");
        assertThat(new String(message.head(), UTF_8) + new String(message.body(), UTF_8))
                .isEqualTo(CHUNKED);
    }

    @Test
    void responseWithoutALength_endsWithTheConnection() throws IOException {
        assertThat(response("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall the rest")
                        .text())
                .isEqualTo("all the rest");
        assertThat(response("HTTP/1.1 204 No Content\r\n\r\nnext").text()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200",
                "HTTP/1.1 200 OK\r\nContent-Len",
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
                "SSH-2.0-portal\r\n",
                "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"
            })
    void incompleteMessage_isAnError(String text) {
        assertThatThrownBy(() -> response(text)).isInstanceOf(IOException.class);
    }
}
