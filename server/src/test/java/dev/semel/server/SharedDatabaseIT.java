package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.TestSize;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Two servers share a database. Clients send every request to both servers at the same moment, and retry until they get a response;
 * meanwhile servers, connections or the database are killed. Every write is executed once, and all responses to a key are equal.
 */
class SharedDatabaseIT {

    private static final int CLIENTS = 6;
    private static final int KEYS_OF_A_CLIENT = TestSize.of(15, 60);
    private static final int ACTIONS_OF_A_PLAYER = TestSize.of(8, 24);
    private static final JsonMapper MAPPER = new JsonMapper();

    @TempDir
    private static Path temp;

    private static KillablePostgres database;
    private static final AtomicReferenceArray<ServerProcess> SERVERS = new AtomicReferenceArray<>(2);

    private final Map<String, String> answers = new ConcurrentHashMap<>();
    private final AtomicInteger retries = new AtomicInteger();
    private final Semaphore progress = new Semaphore(0);
    private final Random random = new Random();

    /** A failure that is caused and ended again. */
    private interface Trouble {
        void happen() throws Exception;
    }

    @BeforeAll
    static void start() throws Exception {
        database = new KillablePostgres(temp);
        ExecutorService starters = Executors.newFixedThreadPool(2); // at the same time, on a database without tables
        try {
            Callable<ServerProcess> starter = () -> ServerProcess.start(database.url());
            List<Future<ServerProcess>> starting = List.of(starters.submit(starter), starters.submit(starter));
            SERVERS.set(0, starting.get(0).get());
            SERVERS.set(1, starting.get(1).get());
        } finally {
            starters.shutdownNow();
        }
    }

    @AfterAll
    static void stop() throws Exception {
        SERVERS.get(0).kill();
        SERVERS.get(1).kill();
        database.close();
    }

    @Test
    void duplicatesSentToBothAtOnce_haveOneEffect(TestInfo test) throws Exception {
        run(test, 0, () -> {});
    }

    @Test
    void serverKilledAmidRequests_isReplacedByTheOther(TestInfo test) throws Exception {
        run(test, TestSize.of(2, 8), () -> {
            int which = random.nextInt(2);
            SERVERS.get(which).kill();
            SERVERS.set(which, ServerProcess.start(database.url()));
        });
        assertThat(retries).as("requests were cut off").hasPositiveValue();
    }

    @Test
    void connectionsEndedAmidRequests_loseNothing(TestInfo test) throws Exception {
        run(
                test,
                TestSize.of(4, 20),
                () -> database.execute(
                        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'semel'"
                                + " and (state = 'active' or random() < 0.3)"));
    }

    @Test
    void databaseKilledAmidRequests_losesNothing(TestInfo test) throws Exception {
        run(test, TestSize.of(1, 4), () -> {
            database.kill();
            HttpResponse<String> ready = SERVERS.get(0).get("/health/ready");
            assertThat(ready.statusCode()).isEqualTo(503);
            assertThat(MAPPER.readTree(ready.body()).get("detail").asString())
                    .isEqualTo("The database cannot be reached");
            assertThat(MAPPER.readTree(ready.body()).get("reason").asString()).isEqualTo("unreachable");
            assertThat(SERVERS.get(0).get("/health/live").statusCode()).isEqualTo(200);
            database.restart();
        });
        assertThat(retries).as("requests were not answered").hasPositiveValue();
    }

    /** The database stops responding without closing its connections, as after a network failure. */
    @Test
    void silentDatabase_isGivenUpAndFoundAgain() throws Exception {
        database.setSilent(true);
        try {
            assertThat(SERVERS.get(0).get("/health/ready").statusCode()).isEqualTo(503);
            assertThat(SERVERS.get(1)
                            .post("/v1/feed/posts", "{\"text\":\"silent\"}", "silent")
                            .statusCode())
                    .isEqualTo(503);
        } finally {
            database.setSilent(false);
        }
        assertThat(answered("/v1/feed/posts", "{\"text\":\"silent\"}", "silent", 0))
                .contains("\"silent\"");
    }

    /**
     * Players send each action to both servers at the same moment, over WebSockets that are disconnected at random before, during and after
     * its execution; meanwhile servers are killed. Both servers return the same result for an action, and the table shows that none was
     * applied twice.
     */
    @Test
    void actionsOverWebSocketsOfBoth_areAppliedOnce() throws Exception {
        String table = MAPPER.readTree(answered("/v1/tables", "", "actions-table", 0))
                .get("tableId")
                .asString();
        ExecutorService players = Executors.newFixedThreadPool(CLIENTS * 2);
        try {
            List<Future<?>> playing = new ArrayList<>();
            for (int i = 0; i < CLIENTS * 2; i++) {
                int player = i;
                playing.add(players.submit(() -> {
                    play("/v1/tables/" + table + "/actions", player / 2, player % 2);
                    return null;
                }));
            }
            for (int which = 0; which < 2; which++) {
                assertThat(progress.tryAcquire(CLIENTS * ACTIONS_OF_A_PLAYER / 2, 2, TimeUnit.MINUTES))
                        .isTrue();
                SERVERS.get(which).kill();
                SERVERS.set(which, ServerProcess.start(database.url()));
            }
            for (Future<?> player : playing) {
                player.get();
            }
        } finally {
            players.shutdownNow();
        }
        JsonNode state =
                MAPPER.readTree(SERVERS.get(0).get("/v1/tables/" + table).body());
        assertThat(state.get("actions").asInt()).isEqualTo(CLIENTS * ACTIONS_OF_A_PLAYER);
        assertThat(state.get("pot").asInt()).isEqualTo(CLIENTS * ACTIONS_OF_A_PLAYER * 7);
        assertThat(retries).as("connections were cut").hasPositiveValue();
    }

    private void play(String path, int player, int first) throws Exception {
        Random cuts = new Random(player * 2L + first);
        for (int i = 0; i < ACTIONS_OF_A_PLAYER; i++) {
            String id = new UUID(player << 16 | 0x4000, Long.MIN_VALUE | i).toString();
            JsonNode result = played(path, id, first, cuts);
            String told = result.get("actions") + " " + result.get("pot");
            String other = answers.putIfAbsent(id, told);
            assertThat(told).isEqualTo(other == null ? told : other);
            progress.release();
        }
    }

    /** Sends an action to the two servers in turn until its result arrives. */
    private JsonNode played(String path, String id, int first, Random cuts) throws Exception {
        for (int i = first; ; i++) {
            ServerProcess server = SERVERS.get(i % 2);
            try (SocketClient socket =
                    SocketClient.open(URI.create(server.url()).getPort(), path, server.token())) {
                socket.send("{\"type\":\"action\",\"clientMsgId\":\"" + id + "\",\"action\":\"raise\",\"amount\":7}");
                if (cuts.nextInt(4) == 0) {
                    retries.incrementAndGet(); // it is unknown whether the server read the action
                    continue;
                }
                JsonNode result = socket.message();
                if (result.get("ok").asBoolean()) {
                    return result;
                }
                assertThat(result.get("status").asInt()).as(result.toString()).isEqualTo(503);
            } catch (IOException e) {
                retries.incrementAndGet();
            }
        }
    }

    private void run(TestInfo test, int troubles, Trouble trouble) throws Exception {
        String name = test.getTestMethod().orElseThrow().getName().substring(0, 8);
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS * 2 + 1);
        try {
            List<Future<?>> sending = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                for (int side = 0; side < 2; side++) {
                    String client = name + "-" + i;
                    int first = side;
                    sending.add(clients.submit(() -> {
                        post(client, first);
                        return null;
                    }));
                }
            }
            int each = CLIENTS * KEYS_OF_A_CLIENT * 2 / (troubles + 1);
            for (int i = 0; i < troubles; i++) {
                assertThat(progress.tryAcquire(1 + random.nextInt(each), 2, TimeUnit.MINUTES))
                        .as("requests get a response")
                        .isTrue();
                trouble.happen();
            }
            for (Future<?> client : sending) {
                client.get();
            }
        } finally {
            clients.shutdownNow();
        }
        assertEachOnce(name);
    }

    private void post(String client, int first) throws Exception {
        for (int i = 0; i < KEYS_OF_A_CLIENT; i++) {
            String key = client + "-" + i;
            String path = i % 2 == 0 ? "/v1/feed/posts" : "/v1/collections/orders/records";
            String answer = answered(path, "{\"text\":\"" + key + "\"}", key, first);
            String other = answers.putIfAbsent(key, answer);
            assertThat(answer).isEqualTo(other == null ? answer : other);
            progress.release();
        }
    }

    /** Sends a request to the two servers in turn until it gets a response. */
    private String answered(String path, String body, String key, int first) throws Exception {
        for (int i = first; ; i++) {
            try {
                HttpResponse<String> response = SERVERS.get(i % 2).post(path, body, key);
                if (response.statusCode() == 201) {
                    return response.body();
                }
                assertThat(response.statusCode()).as(response.body()).isIn(409, 503);
                if (response.statusCode() == 503) {
                    retries.incrementAndGet();
                }
            } catch (IOException e) {
                retries.incrementAndGet();
            }
        }
    }

    private void assertEachOnce(String name) throws Exception {
        Map<String, JsonNode> stored = new HashMap<>();
        collect(name, "/v1/feed/posts", node -> node, stored);
        collect(name, "/v1/collections/orders/records", node -> node.get("data"), stored);
        assertThat(stored.keySet()).isEqualTo(answers.keySet()).hasSize(CLIENTS * KEYS_OF_A_CLIENT);
        answers.forEach((key, answer) -> assertThat(MAPPER.readTree(answer).get("id"))
                .isEqualTo(Objects.requireNonNull(stored.get(key)).get("id")));
    }

    private void collect(String name, String path, UnaryOperator<JsonNode> data, Map<String, JsonNode> stored)
            throws Exception {
        for (JsonNode item : SERVERS.get(random.nextInt(2)).items(path)) {
            String text = data.apply(item).get("text").asString();
            if (text.startsWith(name)) {
                assertThat(stored.put(text, item)).as("done twice: " + text).isNull();
            }
        }
    }

    /**
     * Readers of events disconnect at random and resume on the other server, while both servers write, one is killed, and connections to
     * the database are terminated. In the end, each reader has received the same events, once, in commit order.
     */
    @Test
    void eventsReadThroughBoth_areCompleteAndInCommitOrder_whateverIsKilled() throws Exception {
        int readers = TestSize.of(20, 1000);
        ExecutorService threads = Executors.newFixedThreadPool(readers + CLIENTS);
        try {
            List<Future<List<String>>> journals = new ArrayList<>();
            List<FeedReader> reading = new ArrayList<>();
            for (int i = 0; i < readers; i++) {
                reading.add(new FeedReader(SERVERS, i));
            }
            reading.forEach(reader -> journals.add(threads.submit(reader)));
            List<Future<?>> writing = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int writer = i;
                writing.add(threads.submit(() -> {
                    write("events-" + writer, writer);
                    return null;
                }));
            }
            for (int i = 0; i < 4; i++) {
                progress.acquire(CLIENTS * KEYS_OF_A_CLIENT / 6);
                database.execute("select pg_terminate_backend(pid) from pg_stat_activity"
                        + " where application_name = 'semel' and (query like 'listen%' or random() < 0.3)");
                if (i == 1) {
                    SERVERS.get(0).kill();
                    SERVERS.set(0, ServerProcess.start(database.url()));
                }
            }
            for (Future<?> writer : writing) {
                writer.get();
            }
            answered("/v1/feed/posts", "{\"text\":\"" + FeedReader.LAST + "\"}", "events-last", 0);
            List<String> first = journals.get(0).get(5, TimeUnit.MINUTES);
            assertThat(first).hasSize(CLIENTS * KEYS_OF_A_CLIENT + 1).doesNotHaveDuplicates();
            for (Future<List<String>> journal : journals) {
                assertThat(journal.get(5, TimeUnit.MINUTES)).isEqualTo(first);
            }
            assertThat(reading.stream().mapToInt(FeedReader::resumed).sum())
                    .as("how often readers went on elsewhere")
                    .isGreaterThan(readers);
            assertOrderOfCommit(first);
        } finally {
            threads.shutdownNow();
        }
    }

    /** Publishes a post, a like and a comment, each through the next server. */
    private void write(String writer, int first) throws Exception {
        String post = "";
        for (int i = 0; i < KEYS_OF_A_CLIENT; i++) {
            String path = i % 3 == 0 ? "" : "/" + post + (i % 3 == 1 ? "/likes" : "/comments");
            String answer = answered("/v1/feed/posts" + path, "{\"text\":\"x\"}", writer + "-" + i, first + i);
            post = i % 3 == 0 ? MAPPER.readTree(answer).get("id").asString() : post;
            progress.release();
        }
    }

    /** The events of posts have the order in which the feed lists posts, which is commit order. */
    private static void assertOrderOfCommit(List<String> journal) throws Exception {
        List<String> posts = new ArrayList<>();
        for (String event : journal) {
            if (event.startsWith("post ")) {
                posts.add(0, event.split(" ", 3)[1]);
            }
        }
        assertThat(SERVERS.get(0).items("/v1/feed/posts"))
                .extracting(post -> post.get("id").asString())
                .startsWith(posts.toArray(String[]::new));
    }

    /**
     * What a reader has seen of the feed does not change, and new posts appear before it, on both servers. Commits have different delays,
     * so that without an order later ones would overtake earlier ones.
     */
    @Test
    void feedWrittenThroughBoth_growsAtItsTopAlone() throws Exception {
        database.execute("create function dawdle() returns trigger language plpgsql as"
                + " 'begin perform pg_sleep(random() * 0.02); return null; end'");
        database.execute(
                "create constraint trigger dawdle after insert on semel.documents deferrable initially deferred"
                        + " for each row when (new.sequence > 0) execute function dawdle()");
        try {
            readWhileBothWrite();
        } finally {
            database.execute("drop function dawdle cascade");
        }
    }

    private void readWhileBothWrite() throws Exception {
        ExecutorService writers = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Future<?>> writing = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int writer = i;
                writing.add(writers.submit(() -> {
                    for (int post = 0; post < KEYS_OF_A_CLIENT; post++) {
                        String key = "order-" + writer + "-" + post;
                        answered("/v1/feed/posts", "{\"text\":\"" + key + "\"}", key, writer);
                    }
                    return null;
                }));
            }
            List<String> before = List.of();
            for (int read = 0; !writing.stream().allMatch(Future::isDone) || read < 2; read++) {
                List<String> now = SERVERS.get(read % 2).items("/v1/feed/posts").stream()
                        .map(post -> post.get("id").asString())
                        .toList();
                assertThat(now.subList(now.size() - before.size(), now.size())).isEqualTo(before);
                before = now;
            }
            for (Future<?> writer : writing) {
                writer.get();
            }
        } finally {
            writers.shutdownNow();
        }
    }
}
