package dev.semel.server.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.postgres.Postgres;
import dev.semel.testkit.Eventually;
import dev.semel.testkit.TestSize;
import dev.semel.testkit.client.Fault;
import dev.semel.testkit.client.FaultProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** Two processes send the entries of one outbox in PostgreSQL. */
class SharedOutboxIT {

    private static final int ENTRIES = TestSize.of(200, 3000);
    private static final int LANES = 20;
    private static final int PARALLEL = 8;
    private static final double SPEED = 10;
    private static final String NAME = "shared";
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /** Requests take a while, so that attempts would overlap if both processes sent a lane. */
    private static final Fault SLOW = new Fault(
            Fault.Kind.PASS, false, false, Duration.ofMillis(5), 0, Map.of(), "", null, Fault.Moment.RECEIVED);

    @TempDir
    private static Path temp;

    private static ServeDriver server;

    private final FaultProxy proxy = new FaultProxy((request, attempt) -> SLOW, target -> {}, InstantSource.system());
    private final String store = Postgres.url(Postgres.NEWEST.database());
    private final WorkerProcess.Clock clock =
            new WorkerProcess.Clock(Instant.ofEpochMilli(InstantSource.system().millis()), SPEED, Duration.ZERO);
    private WorkerProcess first = worker();
    private final WorkerProcess second = worker();
    private String user = "";

    private WorkerProcess worker() {
        return WorkerProcess.start(store, clock, temp.resolve("worker.log"));
    }

    @BeforeAll
    static void serve() {
        server = new ServeDriver("rocksdb:" + temp.resolve("server"));
    }

    @AfterAll
    static void stopServing() {
        server.close();
    }

    @BeforeEach
    void start(TestInfo test) {
        user = test.getTestMethod().orElseThrow().getName();
        proxy.forwardTo(server.port());
        first.call("open", "name", NAME);
        second.call("open", "name", NAME);
    }

    @AfterEach
    void stop() {
        first.close();
        second.close();
        proxy.close();
    }

    private void fill(WorkerProcess worker, int from, int to) {
        worker.call("fill", "name", NAME, "lanes", LANES, "from", from, "to", to);
    }

    private void send(WorkerProcess worker) {
        worker.call("start", "api", proxy.uri().toString(), "user", user, "parallel", PARALLEL);
    }

    private void awaitAttempts(int attempts) {
        Eventually.assertHolds(PATIENCE, () -> assertThat(proxy.count()).isGreaterThanOrEqualTo(attempts));
    }

    private Sent assertAllSentOnce(WorkerProcess worker, int entries) {
        worker.awaitEmpty(PATIENCE);
        Sent.assertEffectsOnceAndInOrder(server.textsOf(user), entries, LANES);
        Sent sent = new Sent(proxy.attempts());
        sent.assertOneKeyForEach(entries);
        return sent;
    }

    @Test
    void twoProcesses_shareTheLanes_andSendNoneAtOnce() {
        send(first);
        send(second);
        fill(first, 0, ENTRIES);
        Sent sent = assertAllSentOnce(second, ENTRIES);
        sent.assertLanesInOrder();
        assertThat(sent.tokens()).hasSize(2);
        assertThat(proxy.count()).as("attempts").isLessThan(ENTRIES + LANES);
    }

    @Test
    void lanesOfAProcessThatIsKilled_areTakenOver() {
        fill(first, 0, ENTRIES);
        send(first);
        send(second);
        awaitAttempts(ENTRIES / 3);
        first.kill();
        awaitAttempts(ENTRIES / 2);
        first = worker();
        first.call("open", "name", NAME);
        send(first);
        assertAllSentOnce(second, ENTRIES).assertLanesInOrder();
        assertThat(proxy.count()).isBetween(ENTRIES, ENTRIES + PARALLEL);
    }

    /** A stopped process does not notice that it has lost its lanes until it continues. It may have been about to send. */
    @Test
    void lanesOfAProcessThatIsStopped_areTakenOver_andItDoesNotGoOnWithThem() {
        fill(first, 0, ENTRIES);
        send(first);
        send(second);
        awaitAttempts(ENTRIES / 3);
        second.setStopped(true);
        try {
            assertAllSentOnce(first, ENTRIES);
        } finally {
            second.setStopped(false);
        }
        second.awaitEmpty(PATIENCE);
        fill(second, ENTRIES, 2 * ENTRIES);
        Sent sent = assertAllSentOnce(second, 2 * ENTRIES);
        assertThat(sent.stale()).as("attempts that were about to start").isLessThanOrEqualTo(PARALLEL);
        assertThat(proxy.count()).isBetween(2 * ENTRIES, 2 * ENTRIES + 2 * PARALLEL);
        assertThat(sent.tokens()).hasSizeGreaterThanOrEqualTo(2);
    }
}
