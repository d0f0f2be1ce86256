package dev.semel.server.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.client.Scenario;
import dev.semel.testkit.client.Scenario.Action;
import dev.semel.testkit.client.ScenarioRun;
import dev.semel.testkit.client.ServerDriver;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The outbox passes every scenario of the fault suite. The server is a process, and so is the client. In scenarios that set clocks, the server
 * runs in this process.
 */
abstract class ScenarioContract {

    /** The client's clock runs faster, since most scenarios wait for backoffs. */
    private static final double SPEED = 20;

    @TempDir
    private static Path temp;

    private static @Nullable ServeDriver server;
    private static OutboxDriver.@Nullable Host host;
    private static int runs;

    static Stream<Scenario> scenarios() {
        return Scenario.all().stream();
    }

    /** Returns the URL of an empty store for outboxes. */
    abstract String store(Path folder);

    @AfterAll
    static void stop() {
        if (host != null) {
            host.close();
            host = null;
        }
        if (server != null) {
            server.close();
            server = null;
        }
    }

    private OutboxDriver client(String user) {
        if (host == null) {
            host = new OutboxDriver.Host(store(temp.resolve("outbox")), SPEED, temp.resolve("worker.log"));
        }
        return new OutboxDriver(Objects.requireNonNull(host), "run_" + runs++, user);
    }

    private static ServeDriver server() {
        if (server == null) {
            server = new ServeDriver("rocksdb:" + temp.resolve("server"));
        }
        return Objects.requireNonNull(server);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scenarios")
    void scenario_endsAsExpected(Scenario scenario) {
        boolean setsClocks = scenario.steps().stream().anyMatch(step -> step.action() == Action.CLOCK);
        if (setsClocks) {
            try (FixtureDriver fixture = new FixtureDriver(scenario.name())) {
                run(scenario, fixture);
            }
        } else {
            run(scenario, server().as(scenario.name()));
        }
    }

    private void run(Scenario scenario, ServerDriver api) {
        try (ScenarioRun run = new ScenarioRun(scenario, client(scenario.name()), api)) {
            assertThat(run.run()).as(() -> String.valueOf(run.attempts())).isEmpty();
        }
    }
}
