package dev.semel.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.memory.MemoryStore;
import dev.semel.server.log.Log;
import dev.semel.server.settings.ConnectionSettings;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.JsonText;
import dev.semel.store.Time;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

/**
 * Many clients that hold connections, heads, bodies or responses. They are disconnected, and other clients are served meanwhile. {@code
 * -Dsemel.hostile.connections=10000} increases their number.
 */
@Tag("jdk")
class HostileClientsTest {

    private static final int CONNECTIONS = Integer.getInteger("semel.hostile.connections", 300);
    private static final byte[] LARGE = new byte[32 << 20];

    private static final ServerFixture SERVER = ServerFixture.on(
            new MemoryStore(),
            Time.system(),
            apps -> List.of(routes -> routes.add(
                            "POST",
                            "/echo",
                            dev.semel.http.Idempotency.NONE,
                            dev.semel.server.web.Routes.Access.USERS,
                            request -> ApiResponse.ok(JsonText.object().put("length", request.body().length)))
                    .getOpen("/large", request -> new ApiResponse(200, Map.of(), LARGE))),
            settings -> settings.withConnections(new ConnectionSettings(20_000, Duration.ofSeconds(3), null)));

    private final List<Socket> sockets = new ArrayList<>();

    @AfterEach
    void closeAll() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4 << 10);
        socket.connect(new InetSocketAddress(
                InetAddress.getLoopbackAddress(), SERVER.server().port()));
        socket.setSoTimeout(20_000); // silent clients are disconnected later
        sockets.add(socket);
        return socket;
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(ISO_8859_1));
    }

    private static void assertOthersAreServed() {
        assertThat(SERVER.as("ann").post("/echo", "{\"a\":1}").text()).isEqualTo("{\"length\":7}");
    }

    /** Whether the server has closed the connection. */
    private static boolean isDisconnected(Socket socket) {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void silentConnections_areDisconnected() throws Exception {
        for (int i = 0; i < CONNECTIONS; i++) {
            connect();
        }
        assertOthersAreServed();
        assertThat(sockets).allMatch(HostileClientsTest::isDisconnected);
    }

    /** An occasional byte keeps each connection from being idle. */
    @Test
    void slowHeads_areDisconnected() throws Exception {
        for (int i = 0; i < CONNECTIONS; i++) {
            write(connect(), "GET /health/live HTTP/1.1\r\nHost: localhost\r\nX-Drip: ");
        }
        List<Socket> dripping = new ArrayList<>(sockets);
        while (!dripping.isEmpty()) {
            dripping.removeIf(socket -> {
                try {
                    write(socket, "x");
                    return false;
                } catch (IOException e) {
                    return true;
                }
            });
            assertOthersAreServed();
        }
        assertThat(sockets).allMatch(HostileClientsTest::isDisconnected);
    }

    @Test
    void slowLaterHead_isDisconnected() throws Exception {
        Socket socket = connect();
        write(socket, "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
        StringBuilder answer = new StringBuilder();
        while (answer.indexOf("}") < 0) {
            int next = socket.getInputStream().read();
            assertThat(next).as("what follows \"%s\"", answer).isNotNegative();
            answer.append((char) next);
        }
        assertThat(answer).startsWith("HTTP/1.1 200 ");
        write(socket, "GET /he");
        assertThat(isDisconnected(socket)).isTrue();
    }

    /** Asserts that one more body is rejected, with the transaction id of the request. */
    private void assertRejected(String request) throws IOException {
        Socket socket = connect();
        write(socket, request);
        assertThat(socket.getInputStream().readAllBytes())
                .asString(UTF_8)
                .startsWith("HTTP/1.1 503 ")
                .contains("\"code\":\"busy\"", "\r\nX-Client-Tx-Id: t\r\n");
    }

    /** More unfinished bodies than the server has threads, and a late one of another user. */
    @Test
    void bodiesThatDoNotEnd_leaveThreadsForOthers() throws Exception {
        String token = SERVER.token("eve");
        for (int i = 0; i < 500; i++) {
            write(
                    connect(),
                    "POST /echo HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\n"
                            + (i % 2 == 0
                                    ? "Content-Length: 1000\r\n\r\n{"
                                    : "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"));
        }
        assertRejected("POST /echo HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token
                + "\r\nIdempotency-Key: k\r\nX-Client-Tx-Id: t\r\nContent-Length: 1000\r\n\r\n{");
        assertOthersAreServed();
        Socket other = connect();
        write(
                other,
                "POST /echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer "
                        + SERVER.token("ann") + "\r\nContent-Length: 7\r\nExpect: 100-continue\r\n\r\n");
        String goOn = "HTTP/1.1 100 Continue\r\n\r\n";
        assertThat(other.getInputStream().readNBytes(goOn.length()))
                .asString(ISO_8859_1)
                .isEqualTo(goOn);
        write(other, "{\"a\":1}");
        assertThat(other.getInputStream().readAllBytes()).asString(UTF_8).endsWith("{\"length\":7}");
    }

    @Test
    void endlessBody_isReadUpToTheLimit() throws Exception {
        Socket socket = connect();
        write(
                socket,
                "POST /echo HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + SERVER.token("eve")
                        + "\r\nTransfer-Encoding: chunked\r\n\r\n");
        String chunk = "10000\r\n" + "x".repeat(0x10000) + "\r\n";
        long sent = 0;
        try {
            while (sent < 1L << 30) {
                write(socket, chunk);
                sent += 0x10000;
            }
        } catch (IOException e) {
            // closed by the server
        }
        assertThat(sent).as("bytes until it was closed").isLessThan(64 << 20);
        assertOthersAreServed();
    }

    @Test
    void responsesThatAreNotRead_areNotWaitedFor() throws Exception {
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        Log.setOutput(log);
        Log.setLevel(Level.INFO);
        try {
            for (int i = 0; i < 5; i++) {
                write(connect(), "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
            }
            for (int disconnected = 0;
                    disconnected < 5;
                    disconnected = log.toString(UTF_8).split("slow client", -1).length - 1) {
                assertOthersAreServed();
            }
        } finally {
            Log.setLevel(Level.WARN);
            Log.setOutput(new FileOutputStream(FileDescriptor.err));
        }
        for (Socket socket : sockets) {
            assertThat(socket.getInputStream().transferTo(OutputStream.nullOutputStream()))
                    .isLessThan(LARGE.length);
        }
    }
}
