package dev.semel.server.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.document.Transactions;
import dev.semel.outbox.Outbox;
import dev.semel.outbox.OutboxEntry;
import dev.semel.outbox.OutboxEntry.Status;
import dev.semel.outbox.OutboxOnClock;
import dev.semel.outbox.OutboxProcessor;
import dev.semel.outbox.OutboxRequest;
import dev.semel.outbox.Payload;
import dev.semel.server.Storage;
import dev.semel.server.settings.RawSettings;
import dev.semel.server.settings.ServerSettings;
import dev.semel.server.settings.Setting;
import dev.semel.store.spi.OrderedStore;
import dev.semel.testkit.ScaledTime;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A process with an outbox. It reads a command per line of its input, a JSON object, and prints its result as a line. It ends with its
 * input.
 */
final class OutboxWorker {

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final Duration TIMEOUT = Duration.ofSeconds(4);
    private static final int PAGE = 1000;
    private static final int IN_A_TRANSACTION = 500;

    private final Storage storage;
    private final OrderedStore store;
    private final ScaledTime time;
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(TIMEOUT)
            .build();
    private @Nullable Outbox outbox;
    private @Nullable OutboxProcessor processor;

    private OutboxWorker(Storage storage, ScaledTime time, double speed) {
        this.storage = storage;
        this.store = storage.store().isExclusive() ? storage.store() : new OnClock(storage.store(), time, speed);
        this.time = time;
    }

    /** Takes the URL of the store, and the origin in milliseconds, the speed and the offset in milliseconds of the clock. */
    public static void main(String[] args) throws IOException {
        PrintStream out = System.out;
        System.setOut(System.err); // the output has results only
        double speed = Double.parseDouble(args[2]);
        ScaledTime time = new ScaledTime(
                Instant.ofEpochMilli(Long.parseLong(args[1])), speed, Duration.ofMillis(Long.parseLong(args[3])));
        RawSettings given = new RawSettings(Map.of(Setting.STORE, args[0]), null, Map.of());
        ServerSettings settings = ServerSettings.of(given, Map.of(), InstantSource.system());
        OutboxWorker worker = new OutboxWorker(Storage.open(settings.store(), time), time, speed);
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                out.println(worker.result(MAPPER.readTree(line)));
                out.flush();
            }
        }
        Runtime.getRuntime().halt(0);
    }

    private JsonNode result(JsonNode command) {
        ObjectNode result = MAPPER.createObjectNode();
        try {
            run(command, result);
        } catch (Exception e) {
            e.printStackTrace();
            result.put("error", e.toString());
        }
        return result;
    }

    private void run(JsonNode command, ObjectNode result) {
        switch (command.get("do").stringValue()) {
            case "open" -> open(command);
            case "start" -> start(command);
            case "stop" -> {
                if (processor != null) {
                    processor.close();
                }
                processor = null;
            }
            case "add" -> result.put("id", outbox().add(request(command)).id());
            case "fill" -> fill(command);
            case "entries" -> entries(result.putArray("entries"));
            case "count" -> count(result);
            case "retry" -> result.put("done", outbox().retry(command.get("id").stringValue()));
            case "discard" ->
                result.put("done", outbox().discard(command.get("id").stringValue()));
            case "network" -> Objects.requireNonNull(processor).networkAvailable();
            case "advance" ->
                time.advance(Duration.ofMillis(command.get("millis").longValue()));
            case "close" -> storage.close();
            default -> throw new IllegalArgumentException("Unknown command: " + command);
        }
    }

    private Outbox outbox() {
        return Objects.requireNonNull(outbox);
    }

    private void open(JsonNode command) {
        outbox = OutboxOnClock.open(store, command.get("name").stringValue(), time);
    }

    private void start(JsonNode command) {
        URI api = URI.create(command.get("api").stringValue());
        String user = command.get("user").stringValue();
        OutboxProcessor.Builder builder = OutboxProcessor.builder(outbox(), api)
                .timeout(TIMEOUT)
                .parallel(command.path("parallel").asInt(OutboxProcessor.DEFAULT_PARALLEL))
                .token(rejected -> token(api, user));
        processor = OutboxOnClock.with(builder, time).start();
    }

    /** Returns a new token. Tokens of the same second would be equal, but for the role. */
    private String token(URI api, String user) throws IOException, InterruptedException {
        ObjectNode body = MAPPER.createObjectNode().put("user", user);
        body.putArray("roles").add(UUID.randomUUID().toString());
        HttpRequest request = HttpRequest.newBuilder(api.resolve("/v1/dev/token"))
                .timeout(TIMEOUT)
                .POST(BodyPublishers.ofString(body.toString()))
                .build();
        String response = http.send(request, BodyHandlers.ofString()).body();
        return MAPPER.readTree(response).get("token").stringValue();
    }

    private static OutboxRequest request(JsonNode command) {
        return OutboxRequest.of(
                        command.get("method").stringValue(),
                        command.get("endpoint").stringValue())
                .lane(command.get("lane").stringValue())
                .body("application/json", Payload.of(command.get("payload").stringValue()));
    }

    /** Adds posts to lanes in turn, many in a transaction. Their texts are name, lane and number. */
    private void fill(JsonNode command) {
        int lanes = command.get("lanes").intValue();
        String name = command.get("name").stringValue();
        int end = command.get("to").intValue();
        Transactions transactions = new Transactions(store, time);
        for (int start = command.get("from").intValue(); start < end; start += IN_A_TRANSACTION) {
            int first = start;
            transactions.run(tx -> {
                for (int i = first; i < Math.min(first + IN_A_TRANSACTION, end); i++) {
                    String lane = "lane-" + i % lanes;
                    String text = name + "/" + lane + "/" + i / lanes;
                    outbox().add(
                                    tx,
                                    OutboxRequest.post("/v1/feed/posts")
                                            .lane(lane)
                                            .json("{\"text\":\"" + text + "\"}"));
                }
                return first;
            });
        }
    }

    private void entries(ArrayNode entries) {
        String after = "";
        do {
            Outbox.Page page = outbox().list(new Outbox.Query(null, null, after, PAGE));
            for (OutboxEntry entry : page.entries()) {
                entries.addObject()
                        .put("id", entry.id())
                        .put("key", entry.idempotencyKey())
                        .put("clientTxId", entry.clientTxId())
                        .put("lane", entry.lane())
                        .put("status", entry.status().toString())
                        .put("error", Objects.requireNonNullElse(entry.lastError(), ""));
            }
            after = page.next();
        } while (!after.isEmpty());
    }

    /** Reports whether there are pending and failed entries. */
    private void count(ObjectNode result) {
        for (Status status : List.of(Status.PENDING, Status.FAILED)) {
            Outbox.Query query = new Outbox.Query(status, null, "", 1);
            Outbox.Page page = outbox().list(query);
            while (page.entries().isEmpty() && !page.next().isEmpty()) {
                page = outbox().list(query.after(page));
            }
            result.put("has" + status.name(), !page.entries().isEmpty());
        }
    }
}
