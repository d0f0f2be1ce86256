package dev.semel.bench.http;

import dev.semel.bench.FreePort;
import dev.semel.bench.TempFolder;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** Restate: its server as npm installs it, and a service that the server calls. */
final class RestatePeer implements AutoCloseable {

    /** The command that installs Restate. */
    static final String INSTALL = "npm install --no-save @restatedev/restate-server @restatedev/restate-sdk";

    private static final Path SERVER = Path.of(".bin", "restate-server");
    private static final Path SDK = Path.of("@restatedev", "restate-sdk", "dist", "index.js");
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int TRIES = 60;

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(TIMEOUT)
            .build();
    private final TempFolder folder = TempFolder.create("semel-bench-");
    private final List<Process> processes = new ArrayList<>();
    private final int ingress = FreePort.find();

    private RestatePeer() {}

    /** @param modules the folder {@code node_modules} */
    static boolean isInstalled(Path modules) {
        return Files.exists(modules.resolve(SERVER)) && Files.exists(modules.resolve(SDK));
    }

    static RestatePeer start(Path modules) throws InterruptedException {
        RestatePeer peer = new RestatePeer();
        try {
            peer.run(modules.toAbsolutePath());
            return peer;
        } catch (IOException e) {
            peer.close();
            throw new UncheckedIOException("Cannot start Restate", e);
        } catch (RuntimeException | InterruptedException e) {
            peer.close();
            throw e;
        }
    }

    private void run(Path modules) throws IOException, InterruptedException {
        int admin = FreePort.find();
        int service = FreePort.find();
        Path program = folder.path().resolve("restate.mjs");
        try (InputStream source = RestatePeer.class.getResourceAsStream("restate.mjs")) {
            Files.write(program, Objects.requireNonNull(source).readAllBytes());
        }
        start(
                List.of("node", program.toString()),
                Map.of(
                        "PORT", Integer.toString(service),
                        "RESTATE_SDK", modules.resolve(SDK).toUri().toString(),
                        "RESTATE_LOGGING", "ERROR"));
        start(
                List.of(modules.resolve(SERVER).toString()),
                Map.of(
                        "RESTATE_BASE_DIR", folder.path().resolve("data").toString(),
                        "RESTATE_INGRESS__BIND_ADDRESS", "127.0.0.1:" + ingress,
                        "RESTATE_ADMIN__BIND_ADDRESS", "127.0.0.1:" + admin,
                        "RESTATE_BIND_ADDRESS", "127.0.0.1:" + FreePort.find(),
                        "RESTATE_DISABLE_TELEMETRY", "true"));
        String deployment = "{\"uri\":\"http://127.0.0.1:" + service + "\"}";
        for (int tries = 1; !isAccepted("http://127.0.0.1:" + admin + "/deployments", deployment); tries++) {
            if (tries == TRIES) {
                throw new IllegalStateException("Restate did not become ready");
            }
            TimeUnit.MILLISECONDS.sleep(500);
        }
    }

    private void start(List<String> command, Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.path().resolve("log-" + processes.size()).toFile());
        builder.environment().putAll(environment);
        processes.add(builder.start());
    }

    private boolean isAccepted(String url, String body) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .timeout(TIMEOUT)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build();
        try {
            HttpResponse<Void> response = client.send(request, BodyHandlers.discarding());
            return response.statusCode() < 300;
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the URL to which calls with an {@code idempotency-key} are sent. */
    String url() {
        return "http://127.0.0.1:" + ingress + "/orders/place";
    }

    @Override
    public void close() {
        for (Process process : processes) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            process.onExit().join();
        }
        folder.close();
    }
}
