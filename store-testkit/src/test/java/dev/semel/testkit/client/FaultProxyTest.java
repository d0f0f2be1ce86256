package dev.semel.testkit.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.testkit.Eventually;
import dev.semel.testkit.client.Fault.Kind;
import dev.semel.testkit.client.Fault.Moment;
import dev.semel.testkit.client.Fault.Target;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The proxy applies each fault as documented, and logs what happened. */
class FaultProxyTest {

    private static final Instant NOW = Instant.parse("2026-01-07T12:00:00.9Z");
    private static final String TEXT = "hello";

    private final SmallApi api = new SmallApi();
    private final Map<Integer, Fault> faults = new ConcurrentHashMap<>();
    private final List<String> kills = new CopyOnWriteArrayList<>();
    private final FaultProxy proxy = new FaultProxy(
            (request, attempt) -> faults.getOrDefault(attempt, Fault.NONE), this::killed, InstantSource.fixed(NOW));
    private final List<Client> clients = new ArrayList<>();

    private void killed(Target target) {
        kills.add(target + " " + api.effects().size());
    }

    @BeforeEach
    void forward() {
        proxy.forwardTo(api.port());
    }

    @AfterEach
    void close() throws IOException {
        for (Client client : clients) {
            client.socket.close();
        }
        proxy.close();
        api.close();
    }

    /** A connection to the proxy. */
    private static final class Client {

        private final Socket socket;
        private final InputStream in;

        Client(FaultProxy proxy) throws IOException {
            this.socket = new Socket(proxy.uri().getHost(), proxy.uri().getPort());
            this.in = new BufferedInputStream(socket.getInputStream());
        }

        void send(String text, String headers) throws IOException {
            String body = "{\"text\":\"" + text + "\"}";
            String request = "POST /v1/feed/posts HTTP/1.1\r\nAuthorization: Bearer token-0-0\r\n" + headers
                    + "Content-Length: " + body.length() + "\r\n\r\n" + body;
            socket.getOutputStream().write(request.getBytes(UTF_8));
        }

        Message response() throws IOException {
            return Objects.requireNonNull(Message.read(in, true));
        }

        /** Returns what arrives before the connection ends. */
        String rest() throws IOException {
            return new String(in.readAllBytes(), UTF_8);
        }
    }

    private Client client() throws IOException {
        Client client = new Client(proxy);
        clients.add(client);
        return client;
    }

    private Client sent() throws IOException {
        Client client = client();
        client.send(TEXT, keyed("k"));
        return client;
    }

    private static String keyed(String key) {
        return "Idempotency-Key: " + key + "\r\nX-Client-Tx-Id: tx-" + key + "\r\n";
    }

    private void fault(Fault fault) {
        faults.put(1, fault);
    }

    private static Fault reset(Kind kind) {
        return new Fault(kind, false, true, Duration.ZERO, 0, Map.of(), "", null, Moment.RECEIVED);
    }

    private static Fault respond(int status, boolean forward, Map<String, String> headers) {
        return new Fault(Kind.RESPOND, forward, false, Duration.ZERO, status, headers, "page", null, Moment.RECEIVED);
    }

    private Attempt only() {
        assertThat(proxy.attempts()).hasSize(1);
        return proxy.attempts().get(0);
    }

    /** Returns the response to the test's request without faults. */
    private String whole() throws IOException {
        try (SmallApi other = new SmallApi();
                FaultProxy plain =
                        new FaultProxy((request, attempt) -> Fault.NONE, target -> {}, InstantSource.system())) {
            plain.forwardTo(other.port());
            Client client = new Client(plain);
            client.send(TEXT, keyed("k") + "Connection: close\r\n");
            Message response = client.response();
            client.socket.close();
            return new String(response.head(), UTF_8) + response.text();
        }
    }

    @Test
    void requestWithAKey_isPassedAndLogged() throws IOException {
        long before = System.nanoTime();
        Client client = sent();
        assertThat(client.response().status()).isEqualTo(201);
        Attempt attempt = only();
        assertThat(attempt.request()).isEqualTo("POST /v1/feed/posts {\"text\":\"hello\"}");
        assertThat(attempt.number()).isEqualTo(1);
        assertThat(attempt.key()).isEqualTo("k");
        assertThat(attempt.clientTxId()).isEqualTo("tx-k");
        assertThat(attempt.authorization()).isEqualTo("Bearer token-0-0");
        assertThat(attempt.serverStatus()).isEqualTo(201);
        assertThat(attempt.clientStatus()).isEqualTo(201);
        assertThat(attempt.startedNanos()).isBetween(before, attempt.endedNanos());
        assertThat(attempt.endedNanos()).isLessThanOrEqualTo(System.nanoTime());
    }

    @Test
    void requestWithoutAKey_isPassedWithoutAFaultAndNotLogged() throws IOException {
        fault(Fault.of(Kind.DROP_REQUEST));
        Client client = client();
        client.send(TEXT, "");
        assertThat(client.response().status()).isEqualTo(201);
        assertThat(proxy.attempts()).isEmpty();
    }

    @Test
    void attempts_areCountedByRequest_whateverItsKeyIs_onOneConnection() throws IOException {
        Client client = client();
        for (String key : List.of("k", "other")) {
            client.send(TEXT, keyed(key));
            client.response();
        }
        client.send("something else", keyed("k2"));
        client.response();
        assertThat(proxy.attempts()).extracting(Attempt::number).containsExactly(1, 2, 1);
    }

    @Test
    void droppedRequest_doesNotReachTheServer() throws IOException {
        fault(Fault.of(Kind.DROP_REQUEST));
        assertThat(sent().rest()).isEmpty();
        assertThat(api.effects()).isEmpty();
        assertThat(only().clientStatus()).isZero();
        assertThat(only().serverStatus()).isZero();
        assertThat(only().isEnded()).isTrue();
    }

    @Test
    void droppedResponse_leavesTheEffect() throws IOException {
        fault(Fault.of(Kind.DROP_RESPONSE));
        assertThat(sent().rest()).isEmpty();
        assertThat(api.effects()).containsExactly(TEXT);
        assertThat(only().clientStatus()).isZero();
        assertThat(only().serverStatus()).isEqualTo(201);
    }

    @Test
    void cutHead_isAPartOfTheHead() throws IOException {
        fault(Fault.of(Kind.CUT_HEAD));
        String head = whole().split("\r\n\r\n", 2)[0] + "\r\n\r\n";
        assertThat(sent().rest()).hasSize(head.length() / 2).startsWith("HTTP/1.1 201");
        assertThat(api.effects()).containsExactly(TEXT);
    }

    @Test
    void cutBody_isTheHeadAndHalfOfTheBody() throws IOException {
        fault(Fault.of(Kind.CUT_BODY));
        String whole = whole();
        String body = whole.split("\r\n\r\n", 2)[1];
        assertThat(sent().rest())
                .hasSize(whole.length() - body.length() + body.length() / 2)
                .endsWith("\r\n\r\n{\"text\":");
        assertThat(only().clientStatus()).isZero();
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"DROP_REQUEST", "DROP_RESPONSE"})
    void reset_endsTheConnectionWithAnError(Kind kind) throws IOException {
        fault(reset(kind));
        Client client = sent();
        assertThatThrownBy(client::rest).isInstanceOf(SocketException.class).hasMessageContaining("reset");
    }

    @Test
    void responseOfTheProxy_replacesTheOther_andTheConnectionGoesOn() throws IOException {
        fault(respond(503, false, Map.of("Retry-After", "5")));
        Client client = sent();
        Message response = client.response();
        assertThat(response.status()).isEqualTo(503);
        assertThat(response.header("Retry-After")).isEqualTo("5");
        assertThat(response.text()).isEqualTo("page");
        assertThat(api.effects()).isEmpty();
        client.send(TEXT, keyed("k"));
        assertThat(client.response().status()).isEqualTo(201);
        assertThat(proxy.attempts()).extracting(Attempt::clientStatus).containsExactly(503, 201);
    }

    @Test
    void responseOfTheProxy_mayFollowTheCommit() throws IOException {
        fault(respond(502, true, Map.of()));
        assertThat(sent().response().status()).isEqualTo(502);
        assertThat(api.effects()).containsExactly(TEXT);
        assertThat(only().serverStatus()).isEqualTo(201);
        assertThat(only().clientStatus()).isEqualTo(502);
    }

    @Test
    void headersOfTheProxy_mayBeADateOrATransactionId() throws IOException {
        fault(respond(
                503, false, Map.of("Retry-After", Fault.DATE_AFTER + "PT5S", "X-Client-Tx-Id", Fault.CLIENT_TX_ID)));
        Message response = sent().response();
        assertThat(response.header("Retry-After")).isEqualTo("Wed, 07 Jan 2026 12:00:05 GMT");
        assertThat(response.header("X-Client-Tx-Id")).isEqualTo("tx-k");
    }

    @Test
    void garbage_isNotHttp() throws IOException {
        fault(Fault.of(Kind.GARBAGE));
        assertThat(sent().rest()).isEqualTo("SSH-2.0-portal\r\n");
        assertThat(api.effects()).isEmpty();
    }

    @Test
    void hangingRequest_endsWhenTheClientDisconnects() throws IOException {
        fault(Fault.of(Kind.HANG));
        Client client = sent();
        Eventually.assertHolds(() -> assertThat(proxy.attempts()).hasSize(1));
        assertThat(only().isEnded()).isFalse();
        client.socket.close();
        Eventually.assertHolds(() -> assertThat(only().isEnded()).isTrue());
        assertThat(api.effects()).isEmpty();
    }

    @Test
    void delayedRequest_isForwardedLater() throws IOException {
        fault(new Fault(Kind.PASS, false, false, Duration.ofMillis(200), 0, Map.of(), "", null, Moment.RECEIVED));
        assertThat(sent().response().status()).isEqualTo(201);
        assertThat(only().endedNanos() - only().startedNanos())
                .isGreaterThanOrEqualTo(Duration.ofMillis(200).toNanos());
    }

    @Test
    void clientThatDisconnects_hasEndedTheAttempt_andTheServerGetsIt() throws IOException {
        fault(new Fault(Kind.PASS, false, false, Duration.ofMinutes(1), 0, Map.of(), "", null, Moment.RECEIVED));
        sent().socket.close();
        Eventually.assertHolds(() -> assertThat(api.effects()).containsExactly(TEXT));
        assertThat(only().isEnded()).isTrue();
        assertThat(only().clientStatus()).isZero();
    }

    @ParameterizedTest
    @EnumSource(Moment.class)
    void kill_happensAtItsMoment(Moment moment) throws IOException {
        fault(new Fault(Kind.PASS, false, false, Duration.ZERO, 0, Map.of(), "", Target.SERVER, moment));
        assertThat(sent().response().status()).isEqualTo(201);
        Eventually.assertHolds(() -> assertThat(kills).hasSize(1));
        switch (moment) {
            case RECEIVED -> assertThat(kills).containsExactly("SERVER 0");
            case FORWARDED -> assertThat(kills).containsAnyOf("SERVER 0", "SERVER 1");
            case RESPONDED, PASSED -> assertThat(kills).containsExactly("SERVER 1");
        }
    }

    @Test
    void killBeforeTheResponseIsPassed_precedesIt() throws IOException {
        fault(new Fault(Kind.CUT_HEAD, false, false, Duration.ZERO, 0, Map.of(), "", Target.CLIENT, Moment.RESPONDED));
        sent().rest();
        assertThat(kills).containsExactly("CLIENT 1");
    }

    @Test
    void networkOff_resetsOpenAndNewConnections() throws IOException {
        Client open = sent();
        open.response();
        proxy.network(false);
        assertThatThrownBy(open::rest).isInstanceOf(SocketException.class);
        assertThatThrownBy(() -> {
                    Client late = client();
                    late.send(TEXT, keyed("k"));
                    late.response();
                })
                .isInstanceOfAny(SocketException.class, NullPointerException.class);
        proxy.network(true);
        assertThat(sent().response().status()).isEqualTo(201);
        assertThat(proxy.attempts()).hasSize(2);
    }

    @Test
    void restartedServer_isUsedByOpenConnections() throws IOException {
        Client client = sent();
        client.response();
        api.kill();
        api.start();
        proxy.forwardTo(api.port());
        client.send(TEXT, keyed("k"));
        assertThat(client.response().status()).isEqualTo(401);
    }

    @Test
    void serverThatIsDown_disconnectsTheClient() throws IOException {
        api.kill();
        Client client = sent();
        assertThat(client.rest()).isEmpty();
        assertThat(only().isEnded()).isTrue();
        assertThat(only().serverStatus()).isZero();
    }

    @Test
    void randomPlan_losesTheGivenShares_andTheSameOnesAgain() {
        FaultPlan plan = FaultPlan.random(7, 1.0 / 3, 1.0 / 3);
        FaultPlan same = FaultPlan.random(7, 1.0 / 3, 1.0 / 3);
        int attempts = 10_000;
        int requests = 0;
        int responses = 0;
        for (int i = 0; i < attempts; i++) {
            Fault fault = plan.next("request " + i / 4, i % 4);
            assertThat(same.next("request " + i / 4, i % 4)).isEqualTo(fault);
            requests += fault.kind() == Kind.DROP_REQUEST ? 1 : 0;
            responses += fault.kind() != Kind.DROP_REQUEST && fault.kind() != Kind.PASS ? 1 : 0;
        }
        assertThat(requests).isBetween(3_100, 3_600);
        assertThat(responses).isBetween(2_000, 2_450);
    }
}
