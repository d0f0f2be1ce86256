package dev.semel.server.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.memory.MemoryStore;
import dev.semel.outbox.Outbox;
import dev.semel.outbox.OutboxProcessor;
import dev.semel.outbox.OutboxRequest;
import dev.semel.outbox.SelfEcho;
import dev.semel.outbox.TokenSupplier;
import dev.semel.server.ServerFixture;
import dev.semel.testkit.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A client that reads the events of the feed knows which of them it has caused. */
class SelfEchoTest {

    @SuppressWarnings("NullAway.Init")
    private static ServerFixture server;

    private final MemoryStore store = new MemoryStore();
    private final Outbox outbox = Outbox.on(store);
    private final BlockingQueue<SelfEcho.Event> events = new LinkedBlockingQueue<>();

    @BeforeAll
    static void start() {
        server = ServerFixture.onMemory();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private SelfEcho listen(URI api, TokenSupplier tokens, String after) {
        SelfEcho echo = SelfEcho.start(outbox, api, tokens, after, events::add);
        Eventually.assertHolds(() -> assertThat(echo.lastEventId()).isNotEmpty());
        return echo;
    }

    private SelfEcho listen(String after) {
        return listen(server.uri("/"), rejected -> server.token("ann"), after);
    }

    private void sendFromTheOutbox(String text) throws InterruptedException {
        outbox.add(OutboxRequest.post("/v1/feed/posts").json("{\"text\":\"" + text + "\"}"));
        try (OutboxProcessor processor = OutboxProcessor.builder(outbox, server.uri("/"))
                .token(rejected -> server.token("ann"))
                .start()) {
            assertThat(processor.awaitEmpty(Duration.ofMinutes(1))).isTrue();
        }
    }

    private static void sendFromElsewhere(String user, String text) {
        assertThat(server.as(user)
                        .post(
                                "/v1/feed/posts",
                                "{\"text\":\"" + text + "\"}",
                                "Idempotency-Key",
                                text,
                                "X-Client-Tx-Id",
                                "tx-" + text)
                        .status())
                .isEqualTo(201);
    }

    private SelfEcho.Event next(String text) throws InterruptedException {
        SelfEcho.Event event = events.poll(1, TimeUnit.MINUTES);
        assertThat(event).isNotNull();
        assertThat(event.data()).contains("\"" + text + "\"");
        return event;
    }

    @Test
    void eventsOfTheOutbox_areItsOwn_andThoseOfOtherDevicesAndUsersAreNot() throws Exception {
        try (SelfEcho echo = listen("")) {
            sendFromTheOutbox("mine-1");
            sendFromElsewhere("ann", "of-my-phone");
            sendFromElsewhere("bob", "of-bob");
            assertThat(next("mine-1").own()).isTrue();
            assertThat(next("of-my-phone").own()).isFalse();
            SelfEcho.Event last = next("of-bob");
            assertThat(last.own()).isFalse();
            Eventually.assertHolds(() -> assertThat(echo.lastEventId()).isEqualTo(last.id()));
        }
    }

    @Test
    void eventsThatAreReadAfterARestart_areRecognized() throws Exception {
        String before;
        try (SelfEcho echo = listen("")) {
            before = echo.lastEventId();
        }
        sendFromTheOutbox("mine-2");
        sendFromElsewhere("ann", "of-my-tablet");
        try (SelfEcho echo = SelfEcho.start(
                Outbox.on(store), server.uri("/"), rejected -> server.token("ann"), before, events::add)) {
            assertThat(next("mine-2").own()).isTrue();
            assertThat(next("of-my-tablet").own()).isFalse();
            assertThat(echo.lastEventId()).isNotEqualTo(before);
        }
    }

    @Test
    void rejectedToken_isReplaced() throws Exception {
        AtomicInteger count = new AtomicInteger();
        TokenSupplier tokens = rejected -> count.getAndIncrement() == 0 ? "expired" : server.token("ann");
        try (SelfEcho echo = listen(server.uri("/"), tokens, "")) {
            sendFromTheOutbox("mine-3");
            assertThat(next("mine-3").own()).isTrue();
            assertThat(echo.lastEventId()).isNotEmpty();
        }
        assertThat(count).hasValue(2);
    }

    @Test
    void lostConnection_isResumedWithoutAGapOrARepeat() throws Exception {
        try (Relay relay = new Relay(server.uri("/").getPort());
                SelfEcho echo = listen(relay.uri(), rejected -> server.token("ann"), "")) {
            for (int i = 0; i < 3; i++) {
                sendFromElsewhere("bob", "before-" + i);
                next("before-" + i);
                relay.cut();
                sendFromElsewhere("bob", "missed-" + i);
                assertThat(next("missed-" + i).id()).isNotEqualTo("");
            }
            assertThat(events).isEmpty();
            assertThat(echo.lastEventId()).isNotEmpty();
        }
    }

    /** Passes connections on to a port, until they are cut. */
    private static final class Relay implements AutoCloseable {
        private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final List<Socket> open = new CopyOnWriteArrayList<>();
        private final int target;

        Relay(int target) throws IOException {
            this.target = target;
            run(this::accept);
        }

        URI uri() {
            return URI.create("http://localhost:" + listening.getLocalPort());
        }

        private void accept() throws IOException {
            while (true) {
                Socket in = listening.accept();
                Socket out = new Socket(InetAddress.getLoopbackAddress(), target);
                open.add(in);
                open.add(out);
                run(() -> in.getInputStream().transferTo(out.getOutputStream()));
                run(() -> out.getInputStream().transferTo(in.getOutputStream()));
            }
        }

        private interface Work {
            void run() throws IOException;
        }

        private static void run(Work work) {
            Thread thread = new Thread(() -> {
                try {
                    work.run();
                } catch (IOException e) {
                    // the connection or the relay is closed
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        void cut() {
            open.forEach(socket -> {
                try {
                    socket.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            open.clear();
        }

        @Override
        public void close() throws IOException {
            listening.close();
            cut();
        }
    }
}
