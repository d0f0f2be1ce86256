package dev.semel.server.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class DevTokenTest {

    /** Otherwise no entry would be sent again: all lanes wait for the token. */
    @Test
    @Timeout(30)
    void responseThatDoesNotEnd_isNotAwaitedForEver() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread server = new Thread(() -> respondWithoutBody(socket));
            server.setDaemon(true);
            server.start();
            URI url = URI.create("http://127.0.0.1:" + socket.getLocalPort());
            DevToken token = new DevToken(url, "ann", Duration.ofSeconds(1));
            assertThatIOException().isThrownBy(() -> token.token(null));
        }
    }

    private static void respondWithoutBody(ServerSocket socket) {
        try (Socket client = socket.accept()) {
            client.getOutputStream().write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{".getBytes(US_ASCII));
            client.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
