package dev.semel.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KvTimingTest {

    private static KvTiming timing(String settle, String gap, String staleness) {
        return new KvTiming(
                Duration.parse("PT" + settle), Duration.parse("PT" + gap), Duration.parse("PT" + staleness));
    }

    @Test
    void defaults_areSafe() {
        assertThat(KvTiming.DEFAULTS.isSafe()).isTrue();
        assertThat(KvTiming.DEFAULTS.violation()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"0.501S, 0.5S, 0S", "1.501S, 0.5S, 0.5S", "58.9S, 0.5S, 0S", "20.001S, 19.9S, 0.05S"})
    void timeAboveTheBound_isSafe(String settle, String gap, String staleness) {
        assertThat(timing(settle, gap, staleness).violation()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1S|1S|0S|settle must be more than gap + 2 × staleness: 1s is not more than 1s + 2 × 0s = 1s",
                "2S|0.5S|1S|settle must be more than gap + 2 × staleness: 2s is not more than 500ms + 2 × 1s = 2500ms",
                "59S|0.5S|0S|settle + 2 × gap must be less than the TTL of a claim: 59s + 2 × 500ms = 60s is not less than 60s"
            })
    void timeAtTheBound_isNot_andTheConditionIsShownWithItsNumbers(
            String settle, String gap, String staleness, String violation) {
        assertThat(timing(settle, gap, staleness).violation()).contains(violation);
    }

    @Test
    void stalenessWithoutABound_isNeverSafe() {
        assertThat(new KvTiming(Duration.ofSeconds(50), Duration.ofMillis(1), null).violation())
                .contains("the staleness of the store has no bound, so no settle time is safe");
    }

    @Test
    void negativeTime_isRejected() {
        assertThatThrownBy(() -> timing("-1S", "1S", "0S"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("settle must be from 0");
    }
}
