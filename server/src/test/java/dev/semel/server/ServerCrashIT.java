package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.TestSize;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A server is killed during requests and restarted on the same folder. Clients that retry find every write executed once. */
class ServerCrashIT {

    private static final int KILLS = TestSize.of(3, 12);
    private static final int CLIENTS = 8;
    private static final int POSTS_OF_A_CLIENT = 60;
    private static final JsonMapper MAPPER = new JsonMapper();

    @TempDir
    private Path temp;

    private final Map<String, String> answers = new ConcurrentHashMap<>();
    private final AtomicInteger retries = new AtomicInteger();
    private final Semaphore progress = new Semaphore(0);
    private volatile CompletableFuture<ServerProcess> server =
            new CompletableFuture<>(); // clients wait while there is no server

    @Test
    void serverThatIsKilledAmidRequests_hasDoneEachOnce() throws Exception {
        Path folder = temp.resolve("data");
        Random random = new Random();
        server.complete(ServerProcess.start("rocksdb:" + folder));
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Future<?>> sending = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                String client = "client-" + i;
                sending.add(clients.submit(() -> {
                    post(client);
                    return null;
                }));
            }
            int each = CLIENTS * POSTS_OF_A_CLIENT / (KILLS + 1);
            for (int kill = 0; kill < KILLS; kill++) {
                assertThat(progress.tryAcquire(1 + random.nextInt(each), 2, TimeUnit.MINUTES))
                        .as("requests get a response")
                        .isTrue();
                ServerProcess killed = server.get();
                server = new CompletableFuture<>();
                killed.kill();
                server.complete(ServerProcess.start("rocksdb:" + folder));
            }
            for (Future<?> client : sending) {
                client.get();
            }
            assertThat(retries).as("requests were cut off").hasPositiveValue();
            assertEachOnce();
        } finally {
            clients.shutdownNow();
            if (server.isDone()) {
                server.get().kill();
            }
        }
    }

    private void post(String client) throws Exception {
        for (int i = 0; i < POSTS_OF_A_CLIENT; i++) {
            String key = client + "-" + i;
            String path = i % 2 == 0 ? "/v1/feed/posts" : "/v1/collections/orders/records";
            answers.put(key, answered(path, "{\"text\":\"" + key + "\"}", key));
            progress.release();
        }
    }

    /** Sends a request until it gets a response. */
    private String answered(String path, String body, String key) throws Exception {
        while (true) {
            try {
                HttpResponse<String> response = server.get().post(path, body, key);
                if (response.statusCode() == 201) {
                    return response.body();
                }
                assertThat(response.statusCode()).as(response.body()).isIn(401, 409, 503);
            } catch (IOException e) {
                retries.incrementAndGet();
            }
        }
    }

    private void assertEachOnce() throws Exception {
        Map<String, JsonNode> stored = new HashMap<>();
        collect("/v1/feed/posts", node -> node, stored);
        collect("/v1/collections/orders/records", node -> node.get("data"), stored);
        assertThat(stored.keySet()).isEqualTo(answers.keySet()).hasSize(CLIENTS * POSTS_OF_A_CLIENT);
        answers.forEach((key, answer) -> assertThat(MAPPER.readTree(answer).get("id"))
                .isEqualTo(Objects.requireNonNull(stored.get(key)).get("id")));
    }

    private void collect(String path, UnaryOperator<JsonNode> data, Map<String, JsonNode> stored) throws Exception {
        for (JsonNode item : server.get().items(path)) {
            String text = data.apply(item).get("text").asString();
            assertThat(stored.put(text, item)).as("done twice: " + text).isNull();
        }
    }
}
