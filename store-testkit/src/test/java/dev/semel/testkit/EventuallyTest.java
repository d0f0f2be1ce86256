package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class EventuallyTest {

    @Test
    void whatHoldsLater_isCheckedUntilThen() {
        AtomicInteger checks = new AtomicInteger();
        Eventually.assertHolds(() -> assertThat(checks.incrementAndGet()).isEqualTo(3));
        assertThat(checks).hasValue(3);
    }

    @Test
    void assertionThatNeverHolds_fails() {
        assertThatThrownBy(() -> Eventually.assertHolds(
                        Duration.ofMillis(5), () -> assertThat("this").isEqualTo("that")))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("that");
    }

    @Test
    void otherException_isThrownAtOnce() {
        assertThatThrownBy(() -> Eventually.assertHolds(() -> {
                    throw new IOException("gone");
                }))
                .isInstanceOf(IOException.class);
    }
}
