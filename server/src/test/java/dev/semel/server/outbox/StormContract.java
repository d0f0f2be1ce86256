package dev.semel.server.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Eventually;
import dev.semel.testkit.TestSize;
import dev.semel.testkit.client.Attempt;
import dev.semel.testkit.client.FaultPlan;
import dev.semel.testkit.client.FaultProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * Many entries in many lanes, over a link that loses a third of the requests and a third of the responses, while the client and the server are
 * killed at random moments. Each entry takes effect once, in order within its lane.
 */
abstract class StormContract {

    private static final int ENTRIES = TestSize.of(600, 10_000);
    private static final int LANES = 50;
    private static final int CLIENT_KILLS = TestSize.of(4, 20);
    private static final int SERVER_KILLS = TestSize.of(2, 5);
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
                FaultProxy proxy = new FaultProxy(plan, target -> {}, java.time.InstantSource.system());
                OutboxDriver.Host host =
                        new OutboxDriver.Host(store(temp.resolve("outbox")), SPEED, temp.resolve("worker.log"))) {
            proxy.forwardTo(server.port());
            OutboxDriver client = new OutboxDriver(host, NAME, USER);
            host.process().call("open", "name", NAME);
            host.process().call("fill", "name", NAME, "lanes", LANES, "from", 0, "to", ENTRIES);
            client.start(proxy.uri());
            killNowAndThen(client, server, proxy);
            awaitEmpty(host);
            Log log = new Log(proxy.attempts());
            log.assertOneKeyEach();
            log.assertLanesInOrder();
            log.assertThatMuchWasLost();
            assertEffects(server.textsOf(USER));
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
        java.util.Collections.shuffle(kills, random);
        int most = 2 * ENTRIES / kills.size(); // an entry has about 2.25 attempts
        for (boolean isClient : kills) {
            int next = proxy.attempts().size() + 1 + random.nextInt(most);
            Eventually.assertHolds(
                    PATIENCE, () -> assertThat(proxy.attempts()).as("attempts").hasSizeGreaterThanOrEqualTo(next));
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

    private static void awaitEmpty(OutboxDriver.Host host) {
        Eventually.assertHolds(PATIENCE, () -> {
            JsonNode counts = host.process().call("count");
            assertThat(counts.get("hasPENDING").booleanValue())
                    .as("has pending entries")
                    .isFalse();
            assertThat(counts.get("hasFAILED").booleanValue())
                    .as("has failed entries")
                    .isFalse();
        });
    }

    private static void assertEffects(List<String> texts) {
        assertThat(texts).hasSize(ENTRIES).doesNotHaveDuplicates();
        Map<String, Integer> next = new HashMap<>();
        for (String text : texts) {
            String[] parts = text.split("/");
            assertThat(Integer.parseInt(parts[2]))
                    .as("number of the next effect in " + parts[1])
                    .isEqualTo(next.merge(parts[1], 1, Integer::sum) - 1);
        }
        assertThat(next).hasSize(LANES);
    }

    /** What the proxy has seen. */
    private static final class Log {

        private final List<Attempt> attempts;

        Log(List<Attempt> attempts) {
            this.attempts = attempts;
        }

        void assertOneKeyEach() {
            Map<String, String> keys = new HashMap<>();
            Set<String> all = new HashSet<>();
            for (Attempt attempt : attempts) {
                String key = keys.putIfAbsent(attempt.request(), attempt.key());
                assertThat(attempt.key()).isEqualTo(key == null ? attempt.key() : key);
                all.add(attempt.key());
            }
            assertThat(all).hasSize(ENTRIES).hasSameSizeAs(keys.keySet());
        }

        void assertLanesInOrder() {
            Map<String, Attempt> last = new HashMap<>();
            attempts.stream()
                    .sorted(Comparator.comparingLong(Attempt::startedNanos))
                    .forEach(attempt -> {
                        String[] text = attempt.request().split("/");
                        String lane = text[text.length - 2];
                        Attempt before = last.put(lane, attempt);
                        if (before != null) {
                            assertThat(attempt.startedNanos())
                                    .as(attempt + " starts when this has ended: " + before)
                                    .isGreaterThanOrEqualTo(before.endedNanos());
                            assertThat(number(attempt)).isBetween(number(before), number(before) + 1);
                        }
                    });
        }

        private static int number(Attempt attempt) {
            return Integer.parseInt(attempt.request()
                    .substring(attempt.request().lastIndexOf('/') + 1)
                    .replace("\"}", ""));
        }

        void assertThatMuchWasLost() {
            long lost = attempts.stream()
                    .filter(attempt -> attempt.clientStatus() == 0)
                    .count();
            assertThat(lost).isGreaterThan(ENTRIES);
        }
    }
}
