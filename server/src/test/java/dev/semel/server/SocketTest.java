package dev.semel.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.memory.MemoryStore;
import dev.semel.server.web.Sockets;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.CommitResult;
import dev.semel.testkit.ControlledTime;
import dev.semel.testkit.Eventually;
import dev.semel.testkit.ForwardingStore;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Authentication, limits and timeouts of WebSockets. */
@Tag("jdk")
class SocketTest {

    private static final int RATE = 5;
    private static final int SOCKETS = 90;
    private static final int SOCKETS_OF_ANN = 80;

    private static final ControlledTime SHARED_TIME = new ControlledTime();
    private static final Gate SHARED_STORE = new Gate(new MemoryStore(SHARED_TIME, 64 << 20));
    private static final ServerFixture SHARED = serve(SHARED_STORE, SHARED_TIME);

    private ControlledTime time = SHARED_TIME;
    private Gate store = SHARED_STORE;
    private ServerFixture server = SHARED;
    private String path = "";

    /** A store in which commits of actions wait while it is closed. */
    private static final class Gate extends ForwardingStore {

        private final Semaphore reached = new Semaphore(0);
        private volatile @Nullable String blocked;
        private final CountDownLatch opened = new CountDownLatch(1);

        Gate(MemoryStore store) {
            super(store);
        }

        @Override
        public CommitResult commit(Commit commit) {
            String key = blocked;
            if (key != null && commit.toString().contains(key)) {
                reached.release();
                try {
                    assertThat(opened.await(1, TimeUnit.MINUTES)).isTrue();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
            return super.commit(commit);
        }
    }

    private static ServerFixture serve(Gate store, ControlledTime time) {
        return ServerFixture.on(
                store,
                time,
                Apps::all,
                settings -> settings.withSockets(new Sockets.Limits(SOCKETS, SOCKETS_OF_ANN, RATE)));
    }

    /** Starts a server for tests that need all of its threads or limits. */
    private ServerFixture ownServer() {
        time = new ControlledTime();
        store = new Gate(new MemoryStore(time, 64 << 20));
        server = serve(store, time);
        openTable();
        return server;
    }

    @BeforeEach
    void openTable() {
        path = "/v1/tables/" + server.as("ann").post("/v1/tables", "").text("tableId") + "/actions";
    }

    @AfterAll
    static void stop() {
        SHARED.close();
    }

    private SocketClient open() throws IOException {
        return SocketClient.open(server.server().port(), path, server.token("ann"));
    }

    private SocketClient ask(String... headers) throws IOException {
        return SocketClient.ask(server.server().port(), path, headers);
    }

    private static String raise(String id) {
        return "{\"type\":\"action\",\"clientMsgId\":\"" + id + "\",\"action\":\"raise\",\"amount\":1}";
    }

    private static String raise() {
        return raise(UUID.randomUUID().toString());
    }

    private static void assertError(JsonNode message, int status, String code) {
        assertThat(message.propertyNames()).contains("type", "status", "code", "error", "detail");
        assertThat(message.get("status").asInt() + " " + message.get("code").asString())
                .isEqualTo(status + " " + code);
    }

    private long pot() {
        return server.as("ann")
                .get(path.replace("/actions", ""))
                .json()
                .get("pot")
                .asLong();
    }

    private void assertWorks(SocketClient socket) throws IOException {
        assertThat(socket.ask(raise()).get("ok").asBoolean()).isTrue();
    }

    // Authentication

    @Test
    void badToken_isRejectedAtTheUpgrade() throws Exception {
        for (String header : List.of("Bearer x.y.z", "Basic YTpi", "Bearer ")) {
            try (SocketClient refused = ask("Authorization", header)) {
                assertThat(refused.answered()).startsWith("HTTP/1.1 401 ").contains("WWW-Authenticate: Bearer");
                assertThat(refused.refusal().get("code").asString()).isEqualTo("unauthorized");
            }
        }
    }

    @Test
    void unknownTable_isRejectedAtTheUpgradeOrAfterAuthentication() throws Exception {
        path = path.replaceFirst("tables/[^/]+", "tables/550e8400-e29b-41d4-a716-446655440000");
        try (SocketClient refused = ask("Authorization", "Bearer " + server.token("ann"))) {
            assertThat(refused.answered()).startsWith("HTTP/1.1 404 ");
            assertThat(refused.refusal().get("detail").asString()).isEqualTo("There is no such table");
        }
        try (SocketClient stranger = ask()) {
            assertThat(stranger.answered()).startsWith("HTTP/1.1 101 ");
            assertError(stranger.ask(auth(server.token("ann"))), 404, "not_found");
            assertThat(stranger.closed()).isEqualTo("1008 not_found");
        }
        path = path.replaceFirst("tables/[^/]+", "tables/nonsense");
        try (SocketClient refused = ask()) {
            assertThat(refused.answered()).startsWith("HTTP/1.1 400 ");
            assertThat(refused.refusal().get("field").asString()).isEqualTo("tableId");
        }
    }

    private static String auth(String token) {
        return "{\"type\":\"auth\",\"token\":\"" + token + "\"}";
    }

    @Test
    void pageFromElsewhere_getsNone() throws Exception {
        String port = String.valueOf(server.server().port());
        try (SocketClient foreign = ask("Origin", "http://evil.example")) {
            assertThat(foreign.answered()).startsWith("HTTP/1.1 403 ");
            assertThat(foreign.refusal().get("code").asString()).isEqualTo("foreign_origin");
        }
        try (SocketClient own = ask("Origin", "http://localhost:" + port)) {
            assertThat(own.answered()).startsWith("HTTP/1.1 101 ");
        }
    }

    @Test
    void plainRequest_getsUpgradeRequired() {
        ServerFixture.Reply reply = server.as("ann").get(path);
        assertThat(reply.status() + reply.text("code")).isEqualTo("426upgrade_required");
        assertThat(reply.header("Upgrade")).isEqualTo("websocket");
    }

    @Test
    void otherVersion_isRejected() throws Exception {
        String answer = RawSocket.send(
                server.server().port(),
                "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\n"
                        + "Sec-WebSocket-Version: 8\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
        assertThat(answer).startsWith("HTTP/1.1 4").contains("application/problem+json");
    }

    @Test
    void compression_isDeclined() throws Exception {
        try (SocketClient socket = ask("Sec-WebSocket-Extensions", "permessage-deflate")) {
            assertThat(socket.answered()).startsWith("HTTP/1.1 101 ").doesNotContain("Sec-WebSocket-Extensions");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"type\":\"auth\",\"token\":\"a.b.c\"}",
                "{\"type\":\"auth\"}",
                "{\"type\":\"auth\",\"token\":7}",
                "{\"type\":\"action\",\"clientMsgId\":\"550e8400-e29b-41d4-a716-446655440000\",\"action\":\"fold\"}",
                "hello",
                "[]"
            })
    void clientThatDoesNotAuthenticate_getsAnErrorAndIsDisconnected(String first) throws Exception {
        try (SocketClient socket = ask()) {
            assertThat(socket.ask(first).get("status").asInt()).isBetween(400, 401);
            assertThat(socket.closed()).startsWith("1008 ");
        }
        assertThat(pot()).isZero();
    }

    @Test
    void silentUnauthenticatedClient_isDisconnected() throws Exception {
        try (SocketClient socket = ask()) {
            advanceUntilHeard(socket);
            assertThat(socket.closed()).isEqualTo("1008 unauthorized");
        }
    }

    @Test
    void unauthenticatedClientThatSendsMuch_isDisconnected() throws Exception {
        try (SocketClient socket = ask()) {
            socket.send(auth("x".repeat(17 << 10)));
            assertThat(socket.closed()).startsWith("1009 ");
        }
    }

    @Test
    void anotherUsersToken_isRejected() throws Exception {
        try (SocketClient socket = open()) {
            assertError(socket.ask(auth(server.token("bob"))), 403, "other_user");
            assertThat(socket.ask(auth(server.token("ann"))).get("type").asString())
                    .isEqualTo("auth_ok");
            assertWorks(socket);
        }
    }

    /** Tokens of dev mode are valid for twelve hours. */
    @Test
    void expiredToken_endsTheConnectionUnlessRenewed() throws Exception {
        try (SocketClient old = open();
                SocketClient renewed = open()) {
            assertWorks(old);
            time.setClock(time.instant().plus(Duration.ofHours(11)));
            assertThat(renewed.ask(auth(server.token("ann"))).get("type").asString())
                    .isEqualTo("auth_ok");
            time.setClock(time.instant().plus(Duration.ofHours(2)));
            advanceUntilHeard(old);
            assertThat(old.closed()).isEqualTo("1008 token_expired");
            assertWorks(renewed);
        }
    }

    /** Advances the time until a frame arrives, slowly enough for the server to follow. */
    private void advanceUntilHeard(SocketClient socket) throws IOException {
        while (!socket.hasMore()) {
            assertThat(server.asNobody().get("/health/live").status()).isEqualTo(200);
            time.advance(Duration.ofSeconds(1));
        }
    }

    @Test
    void silentClient_isPingedAndThenDisconnected() throws Exception {
        try (SocketClient socket = open()) {
            assertWorks(socket);
            for (int i = 0; i < 2; i++) {
                advanceUntilHeard(socket);
                assertThat(socket.receive()[0] & 0xff).isEqualTo(SocketClient.LAST | SocketClient.PING);
            }
            advanceUntilHeard(socket);
            assertThat(socket.closed()).isEqualTo("1001 silent");
        }
    }

    @Test
    void clientThatDoesNotClose_isCutOff() throws Exception {
        try (SocketClient socket = ask()) {
            advanceUntilHeard(socket);
            assertThat(socket.receive()[0] & 0xff).isEqualTo(SocketClient.LAST | SocketClient.CLOSE);
            time.advance(Duration.ofSeconds(3));
            assertThat(socket.isGone()).isTrue();
        }
    }

    @Test
    void connectionsUpToTheLimit_areAccepted() throws Exception {
        List<SocketClient> sockets = new ArrayList<>();
        try (ServerFixture own = ownServer()) {
            assertThat(own).isSameAs(server);
            for (int i = 0; i < SOCKETS_OF_ANN; i++) {
                sockets.add(open());
            }
            try (SocketClient refused = ask("Authorization", "Bearer " + server.token("ann"))) {
                assertThat(refused.answered()).startsWith("HTTP/1.1 429 ").contains("Retry-After: 1");
                assertThat(refused.refusal().get("code").asString()).isEqualTo("too_many_connections");
            }
            try (SocketClient stranger = ask()) {
                assertError(stranger.ask(auth(server.token("ann"))), 429, "too_many_connections");
                assertThat(stranger.closed()).isEqualTo("1008 too_many_connections");
            }
            for (int i = SOCKETS_OF_ANN; i < SOCKETS; i++) {
                askUntilLetIn(sockets);
            }
            try (SocketClient refused = ask("Authorization", "Bearer " + server.token("bob"))) {
                assertThat(refused.answered()).startsWith("HTTP/1.1 503 ");
                assertThat(refused.refusal().get("code").asString()).isEqualTo("busy");
            }
            assertWorks(sockets.get(0));
            sockets.get(1).frame(SocketClient.LAST | SocketClient.CLOSE, new byte[] {3, (byte) 0xe8});
            assertThat(sockets.get(1).receive()[0] & 0xff).isEqualTo(SocketClient.LAST | SocketClient.CLOSE);
            assertThat(sockets.get(1).isGone()).isTrue();
            askUntilLetIn(sockets, "Authorization", "Bearer " + server.token("bob"));
        } finally {
            for (SocketClient socket : sockets) {
                socket.close();
            }
        }
    }

    /** A closed connection counts until the server notices. */
    private void askUntilLetIn(List<SocketClient> sockets, String... headers) throws IOException {
        Eventually.assertHolds(() -> {
            SocketClient socket = ask(headers);
            sockets.add(socket);
            assertThat(socket.answered()).startsWith("HTTP/1.1 101 ");
        });
    }

    // Messages

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "hello|400 invalid_json",
                "''|400 invalid_json",
                "{|400 invalid_json",
                "[]|400 invalid_json",
                "null|400 invalid_json",
                "7|400 invalid_json",
                "{\"type\":\"action\",\"type\":\"auth\"}|400 invalid_json",
                "{}|400 invalid_field",
                "{\"type\":7}|400 invalid_field",
                "{\"type\":\"chat\"}|400 invalid_field",
                "{\"type\":{\"a\":[]}}|400 invalid_field",
                "{\"clientMsgId\":[\"x\"],\"action\":\"fold\"}|400 invalid_field",
                "{\"clientMsgId\":\"<script>\",\"action\":\"fold\"}|400 invalid_field",
                "{\"clientMsgId\":\"550e8400-e29b-41d4-a716-446655440000\",\"action\":\"fold\",\"amount\":-1}|400 invalid_field"
            })
    void badMessage_getsAnErrorAndTheConnectionStays(String message, String error) throws Exception {
        try (SocketClient socket = open()) {
            JsonNode told = socket.ask(message);
            assertThat(told.get("status").asInt() + " " + told.get("code").asString())
                    .isEqualTo(error);
            assertThat(told.toString()).doesNotContain("script");
            assertWorks(socket);
        }
        assertThat(pot()).isEqualTo(1);
    }

    @Test
    void deepNesting_isRejected() throws Exception {
        try (SocketClient socket = open()) {
            String deep = "{\"clientMsgId\":" + "[".repeat(30_000) + "]".repeat(30_000) + "}";
            assertError(socket.ask(deep), 400, "invalid_json");
            assertWorks(socket);
        }
    }

    @Test
    void messageOfManyFragments_isRead_andOneTooLargeIsNot() throws Exception {
        byte[] text = raise().getBytes(UTF_8);
        try (SocketClient socket = open()) {
            socket.frame(SocketClient.TEXT, java.util.Arrays.copyOf(text, 10));
            for (int i = 10; i < text.length - 1; i++) {
                socket.frame(0, new byte[] {text[i]});
                if (i == 20) {
                    socket.frame(SocketClient.LAST | SocketClient.PING, new byte[] {7});
                    assertThat(socket.receive()).containsExactly((byte) (SocketClient.LAST | SocketClient.PONG), 7);
                }
            }
            socket.frame(SocketClient.LAST, new byte[] {text[text.length - 1]});
            assertThat(socket.message().get("ok").asBoolean()).isTrue();
            byte[] part = " ".repeat(16 << 10).getBytes(UTF_8);
            socket.frame(SocketClient.TEXT, part);
            for (int i = 0; i < 4; i++) {
                socket.frame(0, part);
            }
            assertThat(socket.closed()).startsWith("1009 ");
        }
    }

    @Test
    void messageOfTheLargestSize_isRead() throws Exception {
        try (SocketClient socket = open()) {
            String message = raise();
            assertThat(socket.ask(message + " ".repeat((64 << 10) - message.length()))
                            .get("ok")
                            .asBoolean())
                    .isTrue();
            socket.send(" ".repeat((64 << 10) + 1));
            assertThat(socket.closed()).startsWith("1009 ");
        }
    }

    @Test
    void binaryMessage_isRejected() throws Exception {
        try (SocketClient socket = open()) {
            socket.frame(SocketClient.LAST | SocketClient.BINARY, raise().getBytes(UTF_8));
            assertError(socket.message(), 415, "unsupported_media_type");
            assertThat(socket.closed()).isEqualTo("1003 binary");
        }
        assertThat(pot()).isZero();
    }

    /** A frame without a mask, with reserved bits, of an unknown kind, a continuation without a start, and invalid UTF-8. */
    @ParameterizedTest
    @CsvSource({
        "1002, 81 02 7b 7d",
        "1002, f1 80 1 1 1 1",
        "1002, 83 80 1 1 1 1",
        "1002, 80 80 1 1 1 1",
        "1007, 81 81 0 0 0 0 ff"
    })
    void brokenFrame_endsTheConnection(int code, String hex) throws Exception {
        String[] digits = hex.split(" ", -1);
        byte[] frame = new byte[digits.length];
        for (int i = 0; i < frame.length; i++) {
            frame[i] = (byte) Integer.parseInt(digits[i], 16);
        }
        try (SocketClient socket = open()) {
            socket.raw(frame);
            assertThat(socket.closed()).startsWith(code + " ");
        }
    }

    @Test
    void tooManyMessages_areRejectedAndThenDisconnected() throws Exception {
        try (SocketClient socket = open()) {
            for (int i = 0; i < 2 * RATE; i++) {
                assertWorks(socket);
            }
            String id = UUID.randomUUID().toString();
            JsonNode refused = socket.ask(raise(id));
            assertError(refused, 429, "rate_limited");
            assertThat(refused.get("clientMsgId").asString()).isEqualTo(id);
            assertThat(refused.get("retry_after").asInt()).isEqualTo(400);
            time.advance(Duration.ofMillis(400));
            assertWorks(socket);
            for (int i = 0; i < 2 * RATE; i++) {
                assertError(socket.ask(raise()), 429, "rate_limited");
            }
            socket.send(raise());
            assertThat(socket.closed()).isEqualTo("1008 rate_limited");
        }
        assertThat(pot()).isEqualTo(2 * RATE + 1);
    }

    @Test
    void tooManyPings_endTheConnection() throws Exception {
        try (SocketClient socket = open()) {
            for (int i = 0; i <= 2 * RATE; i++) {
                socket.frame(SocketClient.LAST | SocketClient.PING, new byte[0]);
                assertThat(socket.receive()[0] & 0xff).isEqualTo(SocketClient.LAST | SocketClient.PONG);
            }
            assertThat(socket.closed()).isEqualTo("1008 rate_limited");
        }
    }

    // Messages that take long

    /** More duplicates of an unfinished action than there are threads: they do not hold threads. */
    @Test
    void actionThatIsStuck_delaysNoOtherUser() throws Exception {
        String id = UUID.randomUUID().toString();
        List<SocketClient> copies = new ArrayList<>();
        try (ServerFixture own = ownServer();
                SocketClient other = open()) {
            assertThat(own).isSameAs(server);
            store.blocked = id;
            for (int i = 0; i < SOCKETS_OF_ANN - 1; i++) {
                copies.add(open().send(raise(id)));
            }
            store.reached.acquire();
            assertWorks(other);
            assertThat(server.as("bob").post(path, raise()).status()).isEqualTo(200);
            int others = 2; // the timers of the sweeper and of the socket checks
            time.awaitScheduled(copies.size() - 1 + others); // all duplicates but the one that is stuck
            store.opened.countDown();
            List<CompletableFuture<JsonNode>> results =
                    copies.stream().map(copy -> supplyAsync(copy::message)).toList();
            CompletableFuture.anyOf(results.toArray(CompletableFuture[]::new)).get(1, TimeUnit.MINUTES);
            time.advance(Duration.ofMillis(20)); // the action is complete now, so all duplicates find its result
            int duplicates = 0;
            for (CompletableFuture<JsonNode> each : results) {
                JsonNode result = each.get(1, TimeUnit.MINUTES);
                assertThat(result.get("ok").asBoolean()).as(result.toString()).isTrue();
                duplicates += result.get("duplicate").asBoolean() ? 1 : 0;
            }
            assertThat(duplicates).isEqualTo(copies.size() - 1);
            assertThat(pot()).isEqualTo(3);
        } finally {
            for (SocketClient copy : copies) {
                copy.close();
            }
        }
    }

    /** Runs a task on a separate thread, because it waits. */
    private static <T> CompletableFuture<T> supplyAsync(Callable<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                result.complete(task.call());
            } catch (Exception e) {
                result.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    @Test
    void stop_completesTheActionInProgress_andDisconnects() throws Exception {
        String id = UUID.randomUUID().toString();
        try (ServerFixture own = ownServer();
                SocketClient idle = open();
                SocketClient busy = open()) {
            store.blocked = id;
            busy.send(raise(id));
            store.reached.acquire();
            CompletableFuture<Void> stop = CompletableFuture.runAsync(own::close);
            assertThat(idle.closed()).isEqualTo("1001 stopping");
            store.opened.countDown();
            assertThat(busy.message().get("ok").asBoolean()).isTrue();
            assertThat(busy.closed()).isEqualTo("1001 stopping");
            stop.get(1, TimeUnit.MINUTES);
        }
    }
}
