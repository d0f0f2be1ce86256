package dev.semel.once;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.Quota;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class OnceSettingsTest {

    private final OnceSettings settings = OnceSettings.DEFAULTS;

    @Test
    void defaults_areThoseOfTheGuide() {
        assertThat(settings.retention()).hasHours(24);
        assertThat(settings.failedRetention()).hasDays(7);
        assertThat(settings.retryHint()).hasMillis(1000);
        assertThat(settings.responseLimit()).isEqualTo(1_048_576);
        assertThat(settings.quota()).isEqualTo(Quota.NONE);
    }

    @Test
    void eachSetting_canBeSetAlone() {
        Duration other = Duration.ofMinutes(7);
        assertThat(settings.withRetention(other).retention()).isEqualTo(other);
        assertThat(settings.withFailedRetention(other).failedRetention()).isEqualTo(other);
        assertThat(settings.withLease(other).lease()).isEqualTo(other);
        assertThat(settings.withLongestRun(other).longestRun()).isEqualTo(other);
        assertThat(settings.withRetryHint(other).retryHint()).isEqualTo(other);
        assertThat(settings.withResponseLimit(5).responseLimit()).isEqualTo(5);
        Quota quota = new Quota(1000, Duration.ofHours(1));
        assertThat(settings.withQuota(quota).quota()).isEqualTo(quota);
        assertThat(settings.withLease(other).withLease(settings.lease())).isEqualTo(settings);
    }

    @Test
    void senselessSettings_areRejected_byName() {
        for (Duration senseless : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThatThrownBy(() -> settings.withRetention(senseless)).hasMessageStartingWith("retention ");
            assertThatThrownBy(() -> settings.withFailedRetention(senseless))
                    .hasMessageStartingWith("failedRetention ");
            assertThatThrownBy(() -> settings.withLease(senseless)).hasMessageStartingWith("lease ");
            assertThatThrownBy(() -> settings.withLongestRun(senseless)).hasMessageStartingWith("longestRun ");
            assertThatThrownBy(() -> settings.withRetryHint(senseless)).hasMessageStartingWith("retryHint ");
        }
        assertThatThrownBy(() -> settings.withResponseLimit(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Quota(-1, Duration.ofHours(1))).isInstanceOf(IllegalArgumentException.class);
        for (Duration senseless : List.of(Duration.ZERO, Duration.ofHours(1).plusNanos(1))) {
            assertThatThrownBy(() -> new Quota(1, senseless)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
