package dev.semel.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.memory.MemoryStore;
import dev.semel.rocksdb.RocksDbSettings;
import dev.semel.rocksdb.RocksDbStore;
import dev.semel.server.openapi.Described;
import dev.semel.server.settings.RawSettings;
import dev.semel.server.settings.ServerSettings;
import dev.semel.server.settings.Setting;
import dev.semel.server.web.App;
import dev.semel.store.Time;
import dev.semel.store.admin.AdminStore;
import dev.semel.store.spi.OrderedStore;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A server in dev mode on a free port, and clients that send requests as users. */
public final class ServerFixture implements AutoCloseable {

    /** The default keeps idle connections open for a second, which each test would wait for. */
    private static final String STOP_TIMEOUT = "4s";

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final HttpClient CLIENT = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10))
            .build();

    private final Server server;
    private final Described described;

    private ServerFixture(Server server) {
        this.server = server;
        HttpRequest description = HttpRequest.newBuilder(uri("/openapi.json")).build();
        this.described = Described.by(new String(send(description).body(), UTF_8));
    }

    /** Starts a server with all apps on a new memory store. */
    public static ServerFixture onMemory() {
        return onMemory(Apps::all);
    }

    /** Starts a server on a new memory store. */
    public static ServerFixture onMemory(Function<Apps, List<App>> apps) {
        return on(new MemoryStore(), Time.system(), apps);
    }

    /** Starts a server with all apps on an embedded store. */
    public static ServerFixture onRocksDb(Path folder) {
        return onRocksDb(folder, Apps::all);
    }

    /** Starts a server on an embedded store. */
    public static ServerFixture onRocksDb(Path folder, Function<Apps, List<App>> apps) {
        Time time = Time.system();
        return on(RocksDbStore.open(folder, RocksDbSettings.DEFAULTS, time), time, apps);
    }

    /**
     * Starts a server with all apps on a database.
     *
     * @param settings additional settings
     */
    public static ServerFixture onPostgres(String url, Map<Setting, String> settings) {
        Map<Setting, String> flags =
                new EnumMap<>(Map.of(Setting.STORE, url, Setting.PORT, "0", Setting.STOP_TIMEOUT, STOP_TIMEOUT));
        flags.putAll(settings);
        return new ServerFixture(Server.start(
                ServerSettings.of(new RawSettings(flags, null, Map.of()), Map.of(), InstantSource.system())));
    }

    /** Starts a server on a store, which is closed with the server. */
    public static <S extends OrderedStore & AdminStore> ServerFixture on(
            S store, Time time, Function<Apps, List<App>> apps) {
        return on(store, time, apps, settings -> settings);
    }

    /** Starts a server on a store with changed settings. */
    public static <S extends OrderedStore & AdminStore> ServerFixture on(
            S store, Time time, Function<Apps, List<App>> apps, UnaryOperator<ServerSettings> settings) {
        return new ServerFixture(Server.start(settings.apply(usualSettings()), Storage.of(store), time, apps));
    }

    /** Starts a server on a storage, which is closed with the server. */
    static ServerFixture on(Storage storage, Function<Apps, List<App>> apps, UnaryOperator<ServerSettings> settings) {
        return new ServerFixture(Server.start(settings.apply(usualSettings()), storage, Time.system(), apps));
    }

    private static ServerSettings usualSettings() {
        RawSettings flags =
                new RawSettings(Map.of(Setting.PORT, "0", Setting.STOP_TIMEOUT, STOP_TIMEOUT), null, Map.of());
        return ServerSettings.of(flags, Map.of(), InstantSource.system());
    }

    /** Returns the server's API description. Every response to a client is checked against it. */
    public Described described() {
        return described;
    }

    private static HttpResponse<byte[]> send(HttpRequest request) {
        try {
            return CLIENT.send(request, BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw new AssertionError(request.method() + " " + request.uri() + " was not answered", e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    public Server server() {
        return server;
    }

    /** Returns a token for a user without roles. */
    public String token(String user) {
        return token(user, List.of());
    }

    public String token(String user, List<String> roles) {
        return Objects.requireNonNull(server.devMode()).mint(user, roles);
    }

    /** Returns a client that sends requests as a user. */
    public Client as(String user) {
        return new Client(Optional.of(token(user)));
    }

    /** Returns a client that sends a given token. */
    public Client withToken(String token) {
        return new Client(Optional.of(token));
    }

    /** Returns a client that sends no token. */
    public Client asNobody() {
        return new Client(Optional.empty());
    }

    /** Opens a stream of feed events for a user. */
    public EventStream events(String user, String lastId) throws IOException {
        return EventStream.open(uri("/"), token(user), lastId);
    }

    public URI uri(String path) {
        return URI.create("http://localhost:" + server.port() + path);
    }

    /** The response to a request. */
    public record Reply(HttpResponse<byte[]> response) {

        public int status() {
            return response.statusCode();
        }

        public String text() {
            return new String(response.body(), UTF_8);
        }

        public JsonNode json() {
            return MAPPER.readTree(response.body());
        }

        /** Returns a member of the body as text; empty if it is missing. */
        public String text(String member) {
            JsonNode value = json().get(member);
            return value == null ? "" : value.asString();
        }

        /** Returns a header; empty if it is missing. */
        public String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }
    }

    /** Sends requests with one token. */
    public final class Client {

        private final Optional<String> token;

        private Client(Optional<String> token) {
            this.token = token;
        }

        /**
         * Sends a GET request.
         *
         * @param headers names and values in turn
         */
        public Reply get(String path, String... headers) {
            return send("GET", path, "", headers);
        }

        public Reply post(String path, String json, String... headers) {
            return send("POST", path, json, headers);
        }

        public Reply put(String path, String json, String... headers) {
            return send("PUT", path, json, headers);
        }

        public Reply delete(String path, String... headers) {
            return send("DELETE", path, "", headers);
        }

        /** Sends a request. A body that is not empty has the content type of JSON unless the headers set another one. */
        public Reply send(String method, String path, String body, String... headers) {
            HttpRequest.Builder builder = HttpRequest.newBuilder(uri(path))
                    .timeout(Duration.ofMinutes(1))
                    .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
            token.ifPresent(value -> builder.setHeader("Authorization", "Bearer " + value));
            if (!body.isEmpty()) {
                builder.setHeader("Content-Type", "application/json");
            }
            for (int i = 0; i < headers.length; i += 2) {
                builder.setHeader(headers[i], headers[i + 1]);
            }
            HttpRequest request = builder.build();
            HttpResponse<byte[]> response = ServerFixture.send(request);
            described.check(
                    new Described.Sent(
                            method, path, Described.headers(request.headers().map()), body.getBytes(UTF_8)),
                    new Described.Answered(
                            response.statusCode(),
                            Described.headers(response.headers().map()),
                            response.body()));
            return new Reply(response);
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
