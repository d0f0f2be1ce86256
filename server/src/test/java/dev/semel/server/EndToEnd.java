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

/** What an app answers through the port, on each store. Tests share a server, so each has users or collections of its own. */
@ParameterizedClass
@EnumSource(EndToEnd.On.class)
public abstract class EndToEnd {

    @TempDir
    static Path folder;

    private static @Nullable ServerFixture server;
    private static @Nullable OrderedStore store;

    /** What the server stores in. */
    public enum On {
        MEMORY,
        ROCKSDB,
        POSTGRES;

        /** Opens one that is empty, on a folder that is not there yet if it needs one. */
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

        /** Opens one that is empty; what is behind it is closed with it. */
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

    /** Somebody who looks after the server. */
    protected static Client asOperator(String user) {
        ServerFixture fixture = Objects.requireNonNull(server);
        return fixture.withToken(fixture.token(user, List.of("operator")));
    }

    /** What happens to the feed from now on, as a user is told. */
    protected static EventStream events(String user) throws IOException {
        return events(user, "");
    }

    /** What happens to the feed behind an event. */
    protected static EventStream events(String user, String lastId) throws IOException {
        return Objects.requireNonNull(server).events(user, lastId);
    }

    protected static ServerFixture server() {
        return Objects.requireNonNull(server);
    }

    /** What the server stores in, for what no request can bring about. */
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

    /** A problem that names what is wrong in the request. */
    protected static void assertInvalid(Reply reply, String field) {
        assertProblem(reply, 400, "invalid_field");
        assertThat(reply.text("field")).isEqualTo(field);
        assertThat(reply.text("detail")).startsWith(field);
    }

    /** The second is the first one's answer from the record. */
    protected static void assertReplayed(Reply first, Reply second) {
        assertThat(first.header("Idempotency-Replayed")).isEmpty();
        assertThat(first.header("Idempotency-Expires")).matches("20.*Z");
        assertThat(second.header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(second.status()).isEqualTo(first.status());
        assertThat(second.response().body()).isEqualTo(first.response().body());
        assertThat(second.header("Content-Type")).isEqualTo(first.header("Content-Type"));
        assertThat(second.header("ETag")).isEqualTo(first.header("ETag"));
    }

    /** A member of each item of a page. */
    protected static List<String> column(Reply page, String member) {
        List<String> column = new ArrayList<>();
        for (JsonNode item : page.json().get("items")) {
            column.add(item.get(member).asString());
        }
        return column;
    }

    /** A member of each item of all pages. */
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
