package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.postgres.Postgres;
import dev.semel.server.ServerFixture.Client;
import dev.semel.server.ServerFixture.Reply;
import dev.semel.server.settings.RawSettings;
import dev.semel.server.settings.ServerSettings;
import dev.semel.server.settings.Setting;
import dev.semel.store.Time;
import dev.semel.store.spi.OrderedStore;
import dev.semel.testkit.ForwardingStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** Tests of an app over HTTP, on each store. Tests share a server, so each uses separate users or collections. */
@ParameterizedClass
@EnumSource(EndToEnd.On.class)
public abstract class EndToEnd {

    @TempDir
    static Path folder;

    private static @Nullable ServerFixture server;
    private static @Nullable OrderedStore store;

    public enum On {
        MEMORY,
        ROCKSDB,
        POSTGRES;

        /** Opens an empty store. Stores with files create the folder. */
        Storage storage(Path folder) {
            String url = switch (this) {
                case MEMORY -> "memory:";
                case ROCKSDB -> "rocksdb:" + folder;
                case POSTGRES -> Postgres.url(Postgres.NEWEST.database());
            };
            RawSettings given = new RawSettings(Map.of(Setting.STORE, url), null, Map.of());
            ServerSettings settings = ServerSettings.of(given, Map.of(), InstantSource.system());
            return Storage.open(settings.store(), Time.system());
        }

        /** Opens an empty store. Closing it releases its resources. */
        public ForwardingStore open(Path folder) {
            Storage storage = storage(folder);
            return new ForwardingStore(storage.store()) {
                @Override
                public void close() {
                    storage.close();
                }
            };
        }
    }

    protected EndToEnd(On on) {
        assertThat(on).isNotNull();
    }

    @BeforeParameterizedClassInvocation
    static void start(On on) {
        Storage storage = on.storage(folder.resolve("store"));
        store = storage.store();
        server = ServerFixture.on(storage, Apps::all, settings -> settings);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        Objects.requireNonNull(server).close();
    }

    protected static Client as(String user) {
        return Objects.requireNonNull(server).as(user);
    }

    /** Returns a client with the role of operators. */
    protected static Client asOperator(String user) {
        ServerFixture fixture = Objects.requireNonNull(server);
        return fixture.withToken(fixture.token(user, List.of("operator")));
    }

    /** Opens a stream of new events. */
    protected static EventStream events(String user) throws IOException {
        return events(user, "");
    }

    /** Opens a stream of events after a given one. */
    protected static EventStream events(String user, String lastId) throws IOException {
        return Objects.requireNonNull(server).events(user, lastId);
    }

    protected static ServerFixture server() {
        return Objects.requireNonNull(server);
    }

    /** Returns the store of the server, for states that requests cannot produce. */
    protected static OrderedStore store() {
        return Objects.requireNonNull(store);
    }

    protected static Client asNobody() {
        return Objects.requireNonNull(server).asNobody();
    }

    protected static void assertProblem(Reply reply, int status, String code) {
        assertThat(reply.status() + " " + reply.text("code")).isEqualTo(status + " " + code);
        assertThat(reply.header("Content-Type")).startsWith("application/problem+json");
        assertThat(reply.json().propertyNames()).contains("type", "title", "status", "detail", "code", "error");
    }

    /** Asserts that a field of the request was rejected. */
    protected static void assertInvalid(Reply reply, String field) {
        assertProblem(reply, 400, "invalid_field");
        assertThat(reply.text("field")).isEqualTo(field);
        assertThat(reply.text("detail")).startsWith(field);
    }

    /** Asserts that the second response is a replay of the first. */
    protected static void assertReplayed(Reply first, Reply second) {
        assertThat(first.header("Idempotency-Replayed")).isEmpty();
        assertThat(first.header("Idempotency-Expires")).matches("20.*Z");
        assertThat(second.header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(second.status()).isEqualTo(first.status());
        assertThat(second.response().body()).isEqualTo(first.response().body());
        assertThat(second.header("Content-Type")).isEqualTo(first.header("Content-Type"));
        assertThat(second.header("ETag")).isEqualTo(first.header("ETag"));
    }

    /** Returns a member of each item of a page. */
    protected static List<String> column(Reply page, String member) {
        List<String> column = new ArrayList<>();
        for (JsonNode item : page.json().get("items")) {
            column.add(item.get(member).asString());
        }
        return column;
    }

    /** Returns a member of each item of all pages. */
    protected static List<String> allPages(Client client, String path, int limit, String member) {
        List<String> column = new ArrayList<>();
        String after = "";
        do {
            Reply page = client.get(path + (path.contains("?") ? "&" : "?") + "limit=" + limit + after);
            assertThat(page.json().propertyNames()).containsExactly("items", "next");
            assertThat(page.json().get("items").size()).isBetween(0, limit);
            column.addAll(column(page, member));
            after = page.json().get("next").isNull() ? "" : "&after=" + page.text("next");
        } while (!after.isEmpty());
        return column;
    }
}
