package dev.semel.testkit.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.testkit.client.Scenario.Action;
import dev.semel.testkit.client.Scenario.Range;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The file of scenarios is read, and is consistent. */
class ScenarioTest {

    @Test
    void names_areUnique_andEachEntryHasItsOwnRequest() {
        List<Scenario> all = Scenario.all();
        assertThat(all).extracting(Scenario::name).doesNotHaveDuplicates();
        assertThat(all).extracting(Scenario::about).doesNotContain("").doesNotHaveDuplicates();
        for (Scenario scenario : all) {
            assertThat(scenario.entries())
                    .as(scenario.name())
                    .extracting(entry -> scenario.request(entry).identity())
                    .doesNotHaveDuplicates();
            List<String> names =
                    scenario.entries().stream().map(Scenario.Entry::name).toList();
            assertThat(scenario.steps())
                    .as(scenario.name())
                    .allSatisfy(step -> assertThat(names).containsAll(step.entries()));
            assertThat(scenario.entries())
                    .as(scenario.name())
                    .allSatisfy(entry -> assertThat(entry.status()).isIn("confirmed", "failed", "pending", "gone"));
        }
    }

    @Test
    void everyKindOfFault_occurs_andEachProcessIsKilledAtEachMoment() {
        List<Fault> faults = Scenario.all().stream()
                .flatMap(scenario -> scenario.entries().stream())
                .flatMap(entry -> entry.faults().stream())
                .toList();
        assertThat(faults).extracting(Fault::kind).contains(Fault.Kind.values());
        for (Fault.Target target : Fault.Target.values()) {
            assertThat(faults.stream().filter(fault -> fault.kill() == target).map(Fault::at))
                    .as(target.name())
                    .contains(Fault.Moment.values());
        }
        assertThat(Scenario.all().stream().flatMap(scenario -> scenario.steps().stream()))
                .extracting(Scenario.Step::action)
                .contains(Action.values());
    }

    @Test
    void entryWithoutDetails_isAPostThatIsConfirmedAtOnce() {
        Scenario scenario = Scenario.named("no_faults");
        assertThat(scenario.steps()).containsExactly(Scenario.Step.addAll());
        Scenario.Entry entry = scenario.entries().get(0);
        assertThat(scenario.request(entry))
                .isEqualTo(new ClientDriver.Request("POST", "/v1/feed/posts", "{\"text\":\"no_faults/a1\"}", "a"));
        assertThat(entry.status()).isEqualTo("confirmed");
        assertThat(entry.effects()).isEqualTo(1);
        assertThat(entry.attempts()).isEqualTo(new Range(1, 1));
        assertThat(entry.fault(1)).isEqualTo(Fault.NONE);
    }

    @Test
    void details_areRead() {
        Scenario scenario = Scenario.named("busy_with_retry_after");
        Scenario.Entry entry = scenario.entries().get(0);
        assertThat(entry.pauses()).containsExactly(Duration.ofSeconds(5));
        assertThat(entry.attempts()).isEqualTo(new Range(2, 2));
        Fault fault = scenario.plan().next(scenario.request(entry).identity(), 1);
        assertThat(fault.kind()).isEqualTo(Fault.Kind.RESPOND);
        assertThat(fault.status()).isEqualTo(503);
        assertThat(fault.headers()).isEqualTo(Map.of("Retry-After", "5"));
        assertThat(fault.isForwarded()).isFalse();
        assertThat(scenario.plan().next(scenario.request(entry).identity(), 2)).isEqualTo(Fault.NONE);
        assertThat(scenario.plan().next("POST /elsewhere", 1)).isEqualTo(Fault.NONE);

        Scenario killed = Scenario.named("client_killed_around_a_response");
        assertThat(killed.entries().get(0).faults())
                .extracting(Fault::kill, Fault::at)
                .contains(org.assertj.core.groups.Tuple.tuple(Fault.Target.CLIENT, Fault.Moment.PASSED));

        Scenario rejected = Scenario.named("rejected");
        assertThat(rejected.entries().get(1).status()).isEqualTo("failed");
        assertThat(rejected.entries().get(1).effects()).isZero();
        assertThat(rejected.request(rejected.entries().get(1)).payload()).isEqualTo("{\"text\":7}");

        Scenario offline = Scenario.named("offline_for_31_days");
        assertThat(offline.entries().get(0).error()).isEqualTo("expired");
        assertThat(offline.steps()).extracting(Scenario.Step::by).contains(Duration.ofDays(31));
        assertThat(offline.steps().get(1)).isEqualTo(new Scenario.Step(Action.AWAIT, List.of("a1"), 1, Duration.ZERO));
    }

    @Test
    void unknownName_isReported() {
        assertThatThrownBy(() -> Scenario.named("nothing"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("There is no scenario nothing");
    }
}
