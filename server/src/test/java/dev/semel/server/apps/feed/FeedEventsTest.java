package dev.semel.server.apps.feed;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.document.Transactions;
import dev.semel.id.IdSchemes;
import dev.semel.memory.MemoryStore;
import dev.semel.server.AppDriver;
import dev.semel.server.Apps;
import dev.semel.server.EventStream;
import dev.semel.server.ServerFixture;
import dev.semel.server.settings.RawSettings;
import dev.semel.server.settings.ServerSettings;
import dev.semel.server.settings.Setting;
import dev.semel.store.Time;
import dev.semel.store.admin.AdminStore;
import dev.semel.store.spi.OrderedStore;
import dev.semel.testkit.ControlledTime;
import dev.semel.testkit.FaultyStore;
import dev.semel.testkit.ForwardingStore;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Expiry, slow readers and limits of event streams. */
@Tag("jdk")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // reading a socket cannot be interrupted
class FeedEventsTest {

    private final ControlledTime time = new ControlledTime();

    private <S extends OrderedStore & AdminStore> ServerFixture serverOn(S store) {
        return ServerFixture.on(store, time, Apps::all);
    }

    private ServerFixture server() {
        return serverOn(new MemoryStore(time, 1 << 28));
    }

    private static String publish(ServerFixture server, String text) {
        String key = IdSchemes.TID62.mint();
        ServerFixture.Reply made = server.as("ann")
                .post("/v1/feed/posts", "{\"text\":\"" + text + "\"}", "Idempotency-Key", key, "X-Client-Tx-Id", key);
        assertThat(made.status()).isEqualTo(201);
        return made.text("id");
    }

    private static String greeted(EventStream stream) throws IOException {
        assertThat(stream.nextBlock().orElseThrow().type()).isEqualTo(":");
        return stream.lastId();
    }

    @Test
    void quietStream_isKeptAlive() throws IOException {
        try (ServerFixture server = server();
                EventStream stream = server.events("ann", "")) {
            greeted(stream);
            for (int i = 0; i < 3; i++) {
                EventStream.pass(time, Duration.ofSeconds(15));
                assertThat(stream.nextBlock().orElseThrow().type()).isEqualTo(":");
            }
            assertThat(publish(server, "x")).isEqualTo(stream.event().text("postId"));
        }
    }

    @Test
    void expiredToken_endsTheStream() throws IOException {
        try (ServerFixture server = server();
                EventStream stream = server.events("ann", "")) {
            greeted(stream);
            EventStream.pass(time, Duration.ofHours(12).minusSeconds(1));
            assertThat(stream.nextBlock().orElseThrow().type()).isEqualTo(":");
            EventStream.pass(time, Duration.ofSeconds(1));
            assertThat(stream.next()).isEmpty();
        }
    }

    @Test
    void reconnectWithinADay_resumes_andLaterGetsAReset() throws IOException {
        try (ServerFixture server = server()) {
            publish(server, "first");
            String id;
            try (EventStream stream = server.events("ann", "")) {
                id = greeted(stream);
            }
            String second = publish(server, "second");
            time.advance(Duration.ofDays(1).minusMillis(1));
            try (EventStream stream = server.events("ann", id)) {
                assertThat(stream.event().text("postId")).isEqualTo(second);
            }
            time.advance(Duration.ofMillis(1));
            try (EventStream stream = server.events("ann", id)) {
                assertThat(stream.event().type()).isEqualTo("reset");
            }
            time.advance(Duration.ofDays(1)); // all events have expired
            try (EventStream stream = server.events("ann", id)) {
                assertThat(stream.event().type()).isEqualTo("reset");
                assertThat(publish(server, "third")).isEqualTo(stream.event().text("postId"));
            }
        }
    }

    @Test
    void reset_isSentOnce_howeverOldTheLastEventIs() throws IOException {
        try (ServerFixture server = server()) {
            publish(server, "first");
            time.advance(Duration.ofHours(24).plusMinutes(30)); // still stored, but too old to resume after
            String id;
            try (EventStream stream = server.events("ann", "long-ago")) {
                assertThat(stream.event().type()).isEqualTo("reset");
                id = stream.lastId();
            }
            String second = publish(server, "second");
            try (EventStream stream = server.events("ann", id)) {
                assertThat(stream.event().text("postId")).isEqualTo(second);
            }
        }
    }

    @Test
    void eventIdOfALostStore_getsAReset() throws IOException {
        String id;
        try (ServerFixture server = server()) {
            publish(server, "first");
            try (EventStream stream = server.events("ann", "")) {
                id = greeted(stream);
            }
        }
        try (ServerFixture server = server()) {
            publish(server, "another first");
            try (EventStream stream = server.events("ann", id)) {
                assertThat(stream.event().type()).isEqualTo("reset");
            }
        }
    }

    @Test
    void storeWithoutNotifications_isPolledEverySecond() throws IOException {
        ForwardingStore silent = new ForwardingStore(new MemoryStore(time, 1 << 28)) {
            @Override
            public Runnable watch(Runnable task) {
                return () -> {};
            }
        };
        try (ServerFixture server = serverOn(silent);
                EventStream stream = server.events("ann", "")) {
            greeted(stream);
            for (int i = 0; i < 3; i++) {
                String post = publish(server, "x");
                EventStream.pass(time, Duration.ofSeconds(1));
                assertThat(stream.event().text("postId")).isEqualTo(post);
            }
        }
    }

    @Test
    void storeThatWasDown_isReadFromTheLastEvent() throws IOException {
        FaultyStore store = new FaultyStore(new MemoryStore(time, 1 << 28));
        try (ServerFixture server = serverOn(store);
                EventStream stream = server.events("ann", "")) {
            greeted(stream);
            String first = publish(server, "first");
            assertThat(stream.event().text("postId")).isEqualTo(first);
            store.goDown();
            EventStream.pass(time, Duration.ofSeconds(15));
            assertThat(stream.nextBlock().orElseThrow().type()).isEqualTo(":");
            assertThat(server.as("ann").get("/v1/feed/events").status()).isEqualTo(503);
            store.comeUp();
            String second = publish(server, "second");
            try (EventStream late = server.events("ann", stream.lastId())) {
                assertThat(late.event().text("postId")).isEqualTo(second);
            }
            assertThat(stream.event().text("postId")).isEqualTo(second);
        }
    }

    @Test
    void readerFarBehind_readsPageByPageAndContinuesLive() throws IOException {
        MemoryStore store = new MemoryStore(time, 1 << 28);
        Transactions transactions = new Transactions(store, time);
        AppDriver writer = new AppDriver(transactions, new Feed(store, transactions, time, null));
        try (ServerFixture server = serverOn(store)) {
            String id;
            try (EventStream stream = server.events("bob", "")) {
                id = greeted(stream);
            }
            List<String> posts = new ArrayList<>();
            String body = "{\"text\":\"" + "x".repeat(400) + "\"}";
            for (int i = 0; i < 1700; i++) {
                posts.add(writer.post("ann", "/v1/feed/posts", body).at("id").asString());
            }
            try (EventStream stream = server.events("bob", id)) {
                for (int i = 0; i < 1700; i++) {
                    assertThat(stream.event().text("postId")).isEqualTo(posts.get(i));
                    if (i == 1000) {
                        posts.add(publish(server, "live"));
                    }
                }
                assertThat(stream.event().text("postId")).isEqualTo(posts.get(1700));
            }
        }
    }

    @Test
    void tooManyReaders_areRejected_untilOneLeaves() throws IOException {
        try (ServerFixture server = ServerFixture.on(
                new MemoryStore(),
                Time.system(),
                apps -> List.of(new Feed(apps.store(), apps.transactions(), apps.time(), null, 2, 1 << 20)))) {
            EventStream first = server.events("ann", "");
            try (EventStream second = server.events("ann", "")) {
                assertThat(first.status() + second.status()).isEqualTo(400);
                ServerFixture.Reply refused = server.as("ann").get("/v1/feed/events");
                assertThat(refused.status() + refused.text("code") + refused.header("Retry-After"))
                        .isEqualTo("503busy1");
                first.close();
                EventStream third = server.events("ann", "");
                while (third.status() == 503) { // the server notices a disconnect when it writes
                    publish(server, "x");
                    third = server.events("ann", "");
                }
                third.close();
            }
        }
    }

    @Test
    void userWithTooManyReaders_isRejected_andOthersAreNot() throws IOException {
        List<EventStream> streams = new ArrayList<>();
        try (ServerFixture server = ServerFixture.on(
                new MemoryStore(),
                Time.system(),
                apps -> List.of(new Feed(apps.store(), apps.transactions(), apps.time(), null, 64, 1 << 20)))) {
            for (int i = 0; i < 16; i++) {
                streams.add(server.events("ann", ""));
                greeted(streams.get(i));
            }
            ServerFixture.Reply refused = server.as("ann").get("/v1/feed/events");
            assertThat(refused.status() + refused.text("code") + refused.header("Retry-After"))
                    .isEqualTo("429too_many_readers1");
            streams.add(server.events("bob", ""));
            greeted(streams.get(16));
        } finally {
            streams.forEach(EventStream::close);
        }
    }

    @Test
    void stalledReader_losesItsPageToOthers() throws IOException {
        int posts = 12;
        MemoryStore store = new MemoryStore();
        String text = "x".repeat(900 << 10);
        try (ServerFixture server = ServerFixture.on(
                store,
                Time.system(),
                apps -> List.of(new Feed(apps.store(), apps.transactions(), apps.time(), null, 100, 1)))) {
            publish(server, "before");
            String id = FeedCollections.EVENTS
                    .newest(store, Map.of(), null, 1)
                    .items()
                    .get(0)
                    .key(); // there are no readers yet, so all events that follow are read from the store
            List<String> published = new ArrayList<>();
            for (int i = 0; i < posts; i++) {
                published.add(publish(server, text));
            }
            try (Socket stalled = stalled(server, "Connection: close\r\nLast-Event-ID: " + id + "\r\n")) {
                for (int round = 0; round < 3; round++) {
                    assertThat(readAll(server, id, posts)).isEqualTo(published);
                }
                assertThat(stalled.getInputStream().readAllBytes()).hasSizeLessThan(posts * text.length());
            }
        }
    }

    /** Reads all events, and resumes whenever the stream ends. */
    private static List<String> readAll(ServerFixture server, String id, int posts) throws IOException {
        List<String> read = new ArrayList<>();
        String lastId = id;
        for (int times = 0; read.size() < posts; times++) {
            try (EventStream stream = server.events("reader-" + times, lastId)) {
                while (read.size() < posts) {
                    read.add(stream.next().orElseThrow(EOFException::new).text("postId"));
                    lastId = stream.lastId();
                }
            } catch (IOException e) {
                // disconnected by the server
            }
        }
        return read;
    }

    private static Socket stalled(ServerFixture server) throws IOException {
        return stalled(server, "");
    }

    /** Opens a stream and reads nothing until the test does. */
    private static Socket stalled(ServerFixture server, String header) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4 << 10);
        socket.setSoTimeout(60_000);
        socket.connect(new InetSocketAddress(
                InetAddress.getLoopbackAddress(), server.uri("/").getPort()));
        socket.getOutputStream()
                .write(("GET /v1/feed/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                                + server.token("bob") + "\r\n" + header + "\r\n")
                        .getBytes(UTF_8));
        while (socket.getInputStream().read() != '\n') {
            // the head of the response has arrived
        }
        return socket;
    }

    @Test
    void stalledReader_isDroppedWhileOthersAreServed_andMayReconnect() throws IOException {
        int posts = 30;
        String text = "x".repeat(900 << 10);
        try (ServerFixture server = ServerFixture.onMemory();
                EventStream reader = server.events("ann", "");
                Socket stalled = stalled(server)) {
            List<String> published = new ArrayList<>();
            for (int i = 0; i < posts; i++) {
                published.add(publish(server, text));
                assertThat(reader.event().text("postId")).isEqualTo(published.get(i));
            }
            String got = new String(stalled.getInputStream().readAllBytes(), UTF_8);
            assertThat(got.length()).as("it did not get all of it").isLessThan(posts * text.length() / 2);
            int last = got.lastIndexOf("\nid: ");
            String id = got.substring(last + 5, last + 5 + 17);
            boolean whole = got.indexOf("\n\n", last) > 0;
            int had = got.split("\nevent: post\n", -1).length - (whole ? 1 : 2);
            if (!whole) {
                int before = got.lastIndexOf("\nid: ", last - 1);
                id = got.substring(before + 5, before + 5 + 17);
            }
            try (EventStream again = server.events("bob", id)) {
                for (int i = had; i < posts; i++) {
                    assertThat(again.event().text("postId")).isEqualTo(published.get(i));
                }
            }
        }
    }

    @Test
    void stop_endsStreamsAtOnce_evenStalledOnes() throws IOException {
        Map<Setting, String> patient = Map.of(Setting.STOP_TIMEOUT, "10m", Setting.PORT, "0");
        ServerFixture server = ServerFixture.on(
                new MemoryStore(),
                Time.system(),
                Apps::all,
                usual -> ServerSettings.of(new RawSettings(patient, null, Map.of()), Map.of(), InstantSource.system()));
        try (EventStream reader = server.events("ann", "");
                Socket stalled = stalled(server)) {
            String text = "x".repeat(900 << 10);
            for (int i = 0; i < 6; i++) { // more than the socket buffers hold, and less than the limit of the tail
                publish(server, text);
                assertThat(reader.next()).isPresent();
            }
            server.close();
            assertThat(reader.next()).isEmpty();
            assertThat(stalled.getInputStream().readAllBytes()).hasSizeLessThan(7 * text.length());
        }
    }
}
