package dev.semel.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.semel.kv.KvSimulation.Result;
import dev.semel.kv.KvSimulation.Settings;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KvSimulationTest {

    private static Result run(int posts, int writers, String settle, String staleness, double occupancy, long seed) {
        KvTiming timing =
                new KvTiming(Duration.parse("PT" + settle), Duration.ofMillis(500), Duration.parse("PT" + staleness));
        return KvSimulation.run(new Settings(posts, writers, timing, occupancy, seed, false));
    }

    private static Result literal(int posts, int writers, long seed) {
        return KvSimulation.run(new Settings(posts, writers, KvTiming.DEFAULTS, 0, seed, true));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void insideTheCondition_nothingIsOverwritten(long seed) {
        for (int writers : new int[] {2, 8, 64}) {
            assertThat(run(4_000, writers, "0.501S", "0S", 0, seed).overwritten())
                    .isZero();
            assertThat(run(4_000, writers, "2.501S", "1S", 0.5, seed).overwritten())
                    .isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void outsideTheCondition_postsAreOverwritten(long seed) {
        assertThat(run(10_000, 64, "0.05S", "0S", 0, seed).overwritten()).isPositive();
        assertThat(run(10_000, 64, "0.6S", "5S", 0, seed).overwritten()).isPositive();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void literalSteps_overwritePostsOfConcurrentWriters(long seed) {
        assertThat(literal(10_000, 8, seed).overwritten()).isPositive();
        assertThat(literal(2_000, 1, seed).overwritten()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"0.5, 1", "0.9, 1", "0.9, 16", "0.95, 8", "1, 4"})
    void failures_areThoseOfTheFormula(double occupancy, int writers) {
        Settings settings = new Settings(8_000, writers, KvTiming.DEFAULTS, occupancy, 7, false);
        Result result = KvSimulation.run(settings);
        assertThat(result.allocated() + result.failed()).isEqualTo(8_000);
        double expected = settings.expectedFailureRate();
        assertThat(expected).isCloseTo(Math.pow(occupancy, 20), within(1e-12));
        double sigma = Math.sqrt(expected * (1 - expected) / 8_000);
        assertThat(result.failed() / 8_000.0).isCloseTo(expected, within(5 * sigma + 1e-4));
    }

    @Test
    void sameSeed_givesTheSameResult_andAnotherSeedAnother() {
        assertThat(run(5_000, 8, "0.1S", "0.2S", 0.5, 1)).isEqualTo(run(5_000, 8, "0.1S", "0.2S", 0.5, 1));
        assertThat(run(5_000, 8, "0.1S", "0.2S", 0.5, 2)).isNotEqualTo(run(5_000, 8, "0.1S", "0.2S", 0.5, 1));
    }

    @Test
    void moreWritersThanIds_endsAndOverwritesNothing() {
        Result crowded = run(3_000, 2_000, "2S", "0S", 0.9, 1);
        assertThat(crowded.allocated() + crowded.failed()).isEqualTo(3_000);
        assertThat(crowded.overwritten()).isZero();
    }
}
