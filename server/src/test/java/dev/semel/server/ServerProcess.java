package dev.semel.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A server in a separate process, and a token for it. */
public record ServerProcess(Process process, String url, String token) {

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10))
            .build();

    /** Starts a server. Returns when it is ready. */
    public static ServerProcess start(String store) throws IOException, InterruptedException {
        return start(store, 0);
    }

    /**
     * Starts a server. Returns when it is ready.
     *
     * @param port the port of a server that has ended; 0 for a free one
     */
    static ServerProcess start(String store, int port) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-jar",
                        Path.of("target", "semel.jar").toAbsolutePath().toString(),
                        "serve",
                        "--port=" + port,
                        "--quota=0",
                        "--log-level=error")
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("SEMEL_STORE", store);
        Process process = builder.start();
        BufferedReader said = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
        String ready = said.readLine();
        assertThat(ready).contains("ready at http://");
        String url = ready.substring(ready.indexOf("http://")).split(" ", 2)[0];
        HttpRequest asking = HttpRequest.newBuilder(URI.create(url + "/v1/dev/token"))
                .POST(BodyPublishers.ofString("{\"user\":\"ann\"}"))
                .build();
        String token = MAPPER.readTree(
                        HTTP.send(asking, BodyHandlers.ofString()).body())
                .get("token")
                .asString();
        return new ServerProcess(process, url, token);
    }

    HttpResponse<String> post(String path, String body, String key) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
                .timeout(Duration.ofSeconds(60))
                .header("Authorization", "Bearer " + token)
                .header("Idempotency-Key", key)
                .header("X-Client-Tx-Id", key)
                .POST(BodyPublishers.ofString(body))
                .build();
        return HTTP.send(request, BodyHandlers.ofString());
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
                .timeout(Duration.ofSeconds(60))
                .header("Authorization", "Bearer " + token)
                .build();
        return HTTP.send(request, BodyHandlers.ofString());
    }

    /** Returns the items of all pages. */
    public List<JsonNode> items(String path) throws IOException, InterruptedException {
        List<JsonNode> items = new ArrayList<>();
        String after = "";
        do {
            HttpResponse<String> response = get(path + "?limit=1000" + after);
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            JsonNode page = MAPPER.readTree(response.body());
            page.get("items").forEach(items::add);
            after = page.get("next").isNull()
                    ? ""
                    : "&after=" + page.get("next").asString();
        } while (!after.isEmpty());
        return items;
    }

    /** Kills the process as {@code kill -9} does. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }
}
