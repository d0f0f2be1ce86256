package dev.semel.testkit.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A client without mistakes passes each scenario. A client with a mistake does not. */
class ScenarioRunTest {

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    static Stream<Scenario> scenarios() {
        return Scenario.all().stream();
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void clientWithoutMistakes_passes(Scenario scenario) {
        try (SmallApi api = new SmallApi();
                ScenarioRun run = new ScenarioRun(scenario, new SmallClient(), api)) {
            assertThat(run.run()).as(() -> String.valueOf(run.attempts())).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(Flaw.class)
    void clientWithAMistake_isReported(Flaw flaw) {
        Scenario scenario = Scenario.named(flaw.scenario());
        try (SmallApi api = new SmallApi();
                ScenarioRun run = new ScenarioRun(scenario, new SmallClient(flaw), api, PATIENCE)) {
            assertThat(run.run()).anyMatch(violation -> violation.contains(flaw.violation()));
        }
    }

    @Test
    void clientWhoseClockCannotBeSet_skipsScenariosThatSetIt() {
        Scenario scenario = Scenario.named("offline_for_31_days");
        try (SmallApi api = new SmallApi();
                ScenarioRun run = new ScenarioRun(
                        scenario,
                        new SmallClient() {
                            @Override
                            public boolean advance(Duration step) {
                                return false;
                            }
                        },
                        api)) {
            assertThatThrownBy(run::run)
                    .hasMessageContaining("The clocks can be set")
                    .extracting(e -> e.getClass().getSimpleName())
                    .isEqualTo("TestAbortedException");
        }
    }

    @Test
    void clientThatDoesNotStartAgain_isReported() {
        Scenario scenario = Scenario.named("client_killed_around_a_request");
        try (SmallApi api = new SmallApi();
                ScenarioRun run = new ScenarioRun(
                        scenario,
                        new SmallClient() {
                            @Override
                            public synchronized void kill() {
                                stop();
                                throw new IllegalStateException("The folder is locked");
                            }
                        },
                        api,
                        Duration.ofSeconds(1))) {
            List<String> violations = run.run();
            assertThat(violations)
                    .contains("The CLIENT did not start again: java.lang.IllegalStateException: The folder is locked")
                    .anyMatch(violation -> violation.contains("has not settled"));
        }
    }
}
