package dev.semel.server.cli;

import static dev.semel.server.cli.CommandLineFixture.semel;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.json.Json;
import dev.semel.server.cli.CommandLineFixture.Result;
import dev.semel.server.web.JsonText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

class SimulateTest {

    private static JsonNode simulate(String options) {
        Result result = semel("simulate kv --json " + options);
        assertThat(result.err()).isEmpty();
        assertThat(result.status()).isZero();
        assertThat(result.out().lines()).hasSize(1);
        return JsonText.tree(Json.of(result.out()));
    }

    @Test
    void json_hasTheResultAndItsSettings() {
        JsonNode result =
                simulate("--posts 2000 --writers 4 --settle 2s --gap 500ms --staleness 0s --occupancy 0.5 --seed 7");
        assertThat(result.propertyNames())
                .startsWith("posts", "allocated", "overwritten", "failed", "expectedFailureRate");
        assertThat(result.get("posts").asInt()).isEqualTo(2000);
        assertThat(result.get("allocated").asInt() + result.get("failed").asInt())
                .isEqualTo(2000);
        assertThat(result.get("overwritten").asInt()).isZero();
        assertThat(result.get("expectedFailureRate").asDouble()).isEqualTo(Math.pow(0.5, 20));
        assertThat(result.get("safe").asBoolean()).isTrue();
        assertThat(result.get("seed").asInt()).isEqualTo(7);
    }

    @Test
    void sameSeed_printsTheSameBytes_andAnotherSeedOthers() {
        String options = "simulate kv --posts 3000 --settle 50ms --occupancy 0.8 ";
        for (String format : new String[] {"", "--json"}) {
            Result first = semel((options + "--seed 1 " + format).strip());
            assertThat(semel((options + "--seed 1 " + format).strip())).isEqualTo(first);
            assertThat(semel((options + "--seed 2 " + format).strip())).isNotEqualTo(first);
        }
    }

    @Test
    void literalSteps_overwrite_andTheHardenedOnesDoNot() {
        assertThat(simulate("--posts 20000 --literal").get("overwritten").asInt())
                .isPositive();
        assertThat(simulate("--posts 20000 --settle 0s").get("overwritten").asInt())
                .isPositive();
        assertThat(simulate("--posts 20000").get("overwritten").asInt()).isZero();
    }

    @Test
    void withoutJson_aTableIsPrinted() {
        assertThat(semel("simulate kv --posts 1000").out())
                .matches(
                        "(?s)posts +1,000 +8 writers, seed 1\nallocated +1,000 .*Safe: the times exclude overwrites.\n");
        assertThat(semel("simulate kv --posts 1000 --settle 500ms").out())
                .endsWith(
                        "\nNot safe: settle must be more than gap + 2 × staleness: 500ms is not more than 500ms + 2 × 0s ="
                                + " 500ms.\n");
        assertThat(semel("simulate kv --posts 1000 --literal").out())
                .contains("Not safe: the steps of the specification");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--posts 0|--posts must be from 1 to 10000000, not 0.",
                "--posts x|--posts must be a whole number, not 'x'.",
                "--writers 10001|--writers must be from 1 to 10000, not 10001.",
                "--settle 5|--settle must be a time such as 24h (a whole number with ms, s, m, h or d, at most 100 years), not '5'.",
                "--gap -1s|--gap must be a time",
                "--staleness 9999d|--staleness must be from 0 to 365 days, not '9999d'.",
                "--settle 365d|The times are too long for 100000 posts",
                "--occupancy 1.1|--occupancy must be a number from 0 to 1, not '1.1'.",
                "--occupancy NaN|--occupancy must be a number from 0 to 1, not 'NaN'.",
                "--occupancy half|--occupancy must be a number from 0 to 1, not 'half'.",
                "--seed 1.5|--seed must be a whole number, not '1.5'.",
                "--writer 8|Did you mean '--writers'?"
            })
    void wrongUse_isRejectedInOneLine(String options, String message) {
        Result result = semel("simulate kv " + options);
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err().lines()).hasSize(1);
        assertThat(result.err()).startsWith("semel simulate kv: ").contains(message);
    }

    @Test
    void withoutAKind_theKindsAreNamed() {
        Result result = semel("simulate");
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).startsWith("semel simulate: COMMAND is missing: kv.");
    }

    @Test
    void serve_rejectsTimesThatAreNotSafe_beforeItStarts() {
        Result rejected = semel("serve --short-ids kv --kv-settle 1s --kv-gap 1s --store memory:");
        assertThat(rejected.status()).isEqualTo(2);
        assertThat(rejected.err().lines()).hasSize(1);
        assertThat(rejected.err())
                .startsWith(
                        "semel serve: --short-ids kv would not exclude that posts are overwritten: settle must be more than"
                                + " gap + 2 × staleness: 1s is not more than 1s + 2 × 0s = 1s.");
    }

    @Test
    void acceptanceOfOverwrites_needsNoValue() {
        for (String accepted : new String[] {"", "=true"}) {
            Result next = semel("serve --short-ids kv --kv-settle 0s --kv-accept-overwrites" + accepted + " --port x");
            assertThat(next.err()).startsWith("semel serve: --port must be");
        }
        assertThat(semel("serve --short-ids kv --kv-settle 0s --kv-accept-overwrites=false --port x")
                        .status())
                .isEqualTo(2);
    }
}
