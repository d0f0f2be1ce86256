package dev.semel.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.outbox.TokenSupplier;
import dev.semel.store.Time;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Fetches tokens of a user from a server in dev mode. */
final class DevToken implements TokenSupplier {

    private static final JsonMapper JSON = new JsonMapper();
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int MOST_BYTES = 1 << 16;
    private static final int OK = 200;

    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    private final URI endpoint;
    private final String user;
    private final Duration timeout;

    DevToken(URI server, String user) {
        this(server, user, TIMEOUT);
    }

    /** @param timeout for the head of the response, and for its body */
    DevToken(URI server, String user, Duration timeout) {
        this.endpoint = server.resolve("/v1/dev/token");
        this.user = user;
        this.timeout = timeout;
    }

    @Override
    public String token(@Nullable String rejected) throws IOException, InterruptedException {
        String body = JSON.createObjectNode().put("user", user).toString();
        HttpRequest request = HttpRequest.newBuilder(endpoint)
                .timeout(timeout)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build();
        HttpResponse<InputStream> response = client.send(request, BodyHandlers.ofInputStream());
        try (InputStream in = response.body()) {
            String text = read(in);
            if (response.statusCode() != OK) {
                throw new IOException("No token from " + endpoint
                        + ", is the server in dev mode? It responds with status " + response.statusCode());
            }
            JsonNode token = JSON.readTree(text).path("token");
            if (token.isString()) {
                return token.stringValue();
            }
        } catch (JacksonException e) {
            // another server
        }
        throw new IOException("No token from " + endpoint + ": its response is not that of a Semel server");
    }

    /** Reads a body. The time limit of a request applies to the head of its response only. */
    private String read(InputStream in) throws IOException {
        Runnable cancel = Time.system().after(timeout, () -> close(in));
        try {
            return new String(in.readNBytes(MOST_BYTES), UTF_8);
        } finally {
            cancel.run();
        }
    }

    private static void close(InputStream in) {
        try {
            in.close();
        } catch (IOException e) {
            // it has ended already
        }
    }
}
