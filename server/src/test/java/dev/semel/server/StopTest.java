package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.server.ServerFixture.Reply;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.JsonText;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("jdk")
class StopTest {

    @TempDir
    Path folder;

    /** A request that is in progress when the server stops is completed, and its write is stored. */
    @Test
    void requestInProgress_completes() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        ServerFixture server = ServerFixture.onRocksDb(
                folder,
                apps -> List.of(routes -> routes.atomic("POST", "/slow", request -> {
                    begun.countDown();
                    await(mayEnd);
                    return ApiResponse.created(JsonText.object().put("done", true));
                })));
        ServerFixture.Client ann = server.as("ann");
        CompletableFuture<Reply> slow =
                CompletableFuture.supplyAsync(() -> ann.post("/slow", "{}", "Idempotency-Key", "k"));
        await(begun);
        CompletableFuture<Void> stop = CompletableFuture.runAsync(server::close);
        awaitNobodyListening(server.server().port());
        assertThat(slow).isNotDone();
        mayEnd.countDown();
        assertThat(slow.get(1, TimeUnit.MINUTES).status()).isEqualTo(201);
        stop.get(1, TimeUnit.MINUTES);

        try (ServerFixture again = ServerFixture.onRocksDb(
                folder,
                apps -> List.of(routes -> routes.atomic("POST", "/slow", request -> {
                    throw new AssertionError("runs again");
                })))) {
            Reply retry = again.as("ann").post("/slow", "{}", "Idempotency-Key", "k");
            assertThat(retry.text()).isEqualTo("{\"done\":true}");
            assertThat(retry.header("Idempotency-Replayed")).isEqualTo("true");
        }
    }

    @Test
    void stoppedServer_isNotListening() {
        ServerFixture server = ServerFixture.onMemory();
        int port = server.server().port();
        server.close();
        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
                .isInstanceOf(ConnectException.class);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void awaitNobodyListening(int port) throws Exception {
        while (true) {
            try {
                new Socket(InetAddress.getLoopbackAddress(), port).close();
            } catch (ConnectException e) {
                return;
            } catch (SocketException e) {
                // accepted before the port was closed; the next attempt fails
            }
            Thread.onSpinWait();
        }
    }
}
