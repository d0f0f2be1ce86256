package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PayloadTest {

    private static boolean isTooSlow(int bytes, long seconds) {
        return Payload.isTooSlow(bytes, Duration.ofSeconds(seconds).toNanos());
    }

    @Test
    void bodyBelowTheLeastRate_isTooSlow() {
        assertThat(isTooSlow(1, 11)).isTrue();
        assertThat(isTooSlow(29_999, 60)).isTrue();
        assertThat(isTooSlow(1_000_000, 61)).isTrue();
    }

    @Test
    void steadyBodyOrOneJustStarted_isNotTooSlow() {
        assertThat(isTooSlow(1, 10)).isFalse();
        assertThat(isTooSlow(30_000, 60)).isFalse();
    }
}
