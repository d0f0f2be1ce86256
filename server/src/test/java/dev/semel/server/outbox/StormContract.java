package dev.semel.server.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Eventually;
import dev.semel.testkit.TestSize;
import dev.semel.testkit.client.FaultPlan;
import dev.semel.testkit.client.FaultProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many entries in many lanes, over a link that loses a third of the requests and a third of the responses, while the client and the server are
 * killed at random moments. Each entry takes effect once, in order within its lane.
 */
abstract class StormContract {

    private static final int ENTRIES = TestSize.of(400, 10_000);
    private static final int LANES = 50;
    private static final int CLIENT_KILLS = TestSize.of(3, 20);
    private static final int SERVER_KILLS = TestSize.of(1, 5);
    private static final long SEED = 20260107;
    private static final double SPEED = 20;
    private static final String USER = "ann";
    private static final String NAME = "storm";
    private static final Duration PATIENCE = Duration.ofMinutes(TestSize.of(3, 25));

    @TempDir
    private Path temp;

    private final Random random = new Random(SEED);

    /** Returns the URL of an empty store for the outbox. */
    abstract String store(Path folder);

    @Test
    void entriesSentOverABadLink_whileClientAndServerAreKilled_takeEffectOnceAndInOrder() {
        FaultPlan plan = FaultPlan.random(SEED, 1.0 / 3, 1.0 / 3);
        try (ServeDriver server = new ServeDriver("rocksdb:" + temp.resolve("server"));
                FaultProxy proxy = new FaultProxy(plan, target -> {}, InstantSource.system());
                OutboxDriver.Host host =
                        new OutboxDriver.Host(store(temp.resolve("outbox")), SPEED, temp.resolve("worker.log"))) {
            proxy.forwardTo(server.port());
            OutboxDriver client = new OutboxDriver(host, NAME, USER);
            host.process().call("open", "name", NAME);
            host.process().call("fill", "name", NAME, "lanes", LANES, "from", 0, "to", ENTRIES);
            client.start(proxy.uri());
            killNowAndThen(client, server, proxy);
            host.process().awaitEmpty(PATIENCE);
            Sent sent = new Sent(proxy.attempts());
            sent.assertOneKeyForEach(ENTRIES);
            sent.assertLanesInOrder();
            assertThat(sent.lost()).isGreaterThan(ENTRIES / 2);
            Sent.assertEffectsOnceAndInOrder(server.textsOf(USER), ENTRIES, LANES);
            assertThat(client.entries())
                    .hasSize(ENTRIES)
                    .allMatch(entry -> entry.status().equals("confirmed"));
        }
    }

    /** Kills processes in a random order, each when a random number of attempts has been made since the kill before. */
    private void killNowAndThen(OutboxDriver client, ServeDriver server, FaultProxy proxy) {
        List<Boolean> kills = new ArrayList<>();
        for (int i = 0; i < CLIENT_KILLS + SERVER_KILLS; i++) {
            kills.add(i < CLIENT_KILLS);
        }
        Collections.shuffle(kills, random);
        int most = 2 * ENTRIES / kills.size(); // an entry has about 2.25 attempts
        for (boolean isClient : kills) {
            int next = proxy.count() + 1 + random.nextInt(most);
            Eventually.assertHolds(
                    PATIENCE, () -> assertThat(proxy.count()).as("attempts").isGreaterThanOrEqualTo(next));
            if (isClient) {
                client.kill();
                client.start(proxy.uri());
            } else {
                server.kill();
                server.start();
                proxy.forwardTo(server.port());
            }
        }
    }
}
