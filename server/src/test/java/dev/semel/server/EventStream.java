package dev.semel.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.ControlledTime;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads server-sent events as browsers do. */
public final class EventStream implements AutoCloseable {

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final HttpClient CLIENT = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10))
            .build();

    private final HttpResponse<InputStream> response;
    private final BufferedReader lines;
    private String lastId;

    /** An event with its parsed data. */
    public record Event(String type, JsonNode data) {

        /** Returns a member of the data; empty if it is missing. */
        public String text(String member) {
            JsonNode value = data.get(member);
            return value == null ? "" : value.asString();
        }
    }

    private EventStream(HttpResponse<InputStream> response, String lastId) {
        this.response = response;
        this.lines = new BufferedReader(new InputStreamReader(response.body(), UTF_8));
        this.lastId = lastId;
    }

    /**
     * Opens a stream. Returns when the server has sent the head of the response.
     *
     * @param lastId the id of the last event that was received; empty if there is none
     */
    public static EventStream open(URI server, String token, String lastId) throws IOException {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.resolve("/v1/feed/events"))
                .timeout(Duration.ofMinutes(1))
                .header("Authorization", "Bearer " + token);
        if (!lastId.isEmpty()) {
            request.header("Last-Event-ID", lastId);
        }
        try {
            return new EventStream(CLIENT.send(request.build(), BodyHandlers.ofInputStream()), lastId);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Advances the time while streams are open, when their sender waits for it. Takes two steps, because a sender that was just notified
     * may have read the clock already without waiting yet.
     */
    public static void pass(ControlledTime time, Duration step) {
        for (Duration each : List.of(step.minusSeconds(1), Duration.ofSeconds(1))) {
            time.awaitScheduled(2); // one is the sweeper
            time.advance(each);
        }
    }

    public int status() {
        return response.statusCode();
    }

    public String header(String name) {
        return response.headers().firstValue(name).orElse("");
    }

    /** Returns the id with which a reader resumes after this stream. */
    public String lastId() {
        return lastId;
    }

    /** Returns the next event; empty when the stream has ended. */
    public Optional<Event> next() throws IOException {
        for (Optional<Event> block = nextBlock(); block.isPresent(); block = nextBlock()) {
            if (!block.get().type.startsWith(":")) {
                return block;
            }
        }
        return Optional.empty();
    }

    /** Returns the next event, and fails if there is none. */
    public Event event() throws IOException {
        return next().orElseThrow(() -> new AssertionError("the stream has ended"));
    }

    /** Returns the next event, or {@code :} for a comment; empty when the stream has ended. */
    public Optional<Event> nextBlock() throws IOException {
        String type = "message";
        @Nullable JsonNode data = null;
        @Nullable String id = null;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.isEmpty()) {
                lastId = id == null ? lastId : id;
                return Optional.of(new Event(data == null ? ":" : type, data == null ? MAPPER.nullNode() : data));
            } else if (line.startsWith("event: ")) {
                type = line.substring(7);
            } else if (line.startsWith("id: ")) {
                id = line.substring(4);
            } else if (line.startsWith("data: ")) {
                assertThat(data).as("one line of data").isNull();
                data = MAPPER.readTree(line.substring(6));
            } else {
                assertThat(line).matches(":.*|retry: [0-9]+");
            }
        }
        return Optional.empty();
    }

    @Override
    public void close() {
        try {
            response.body().close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
