package dev.semel.server.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.client.ClientDriver;
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
 * The outbox passes every scenario of the fault suite. The server is a process. In scenarios that set clocks, it runs in this process.
 */
abstract class ScenarioContract {

    /** The client's clock runs faster, since most scenarios wait for backoffs. */
    static final double SPEED = 20;

    @TempDir
    static Path temp;

    private static @Nullable ServeDriver server;

    static Stream<Scenario> scenarios() {
        return Scenario.all().stream();
    }

    /**
     * Returns a client without entries.
     *
     * @param user the user who sends
     */
    abstract ClientDriver client(String user);

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
            server = null;
        }
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
