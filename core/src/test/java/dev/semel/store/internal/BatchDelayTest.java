package dev.semel.store.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BatchDelayTest {

    private static final long MILLISECOND = 1_000_000;

    private final BatchDelay patience = new BatchDelay();

    /** Returns a delay that has seen writes of equal duration, the last of which ended at time zero. */
    private void written(long nanos) {
        for (int i = 0; i < 100; i++) {
            patience.written(-nanos, 0);
        }
    }

    @Test
    void slowWrites_areWorthHalfTheirTime_countedFromTheLastOne() {
        written(MILLISECOND);
        assertThat(patience.nanos(0)).isBetween(MILLISECOND * 2 / 5, MILLISECOND / 2);
        assertThat(patience.nanos(MILLISECOND / 5)).isBetween(MILLISECOND / 5, MILLISECOND * 3 / 10);
        assertThat(patience.nanos(MILLISECOND)).isNegative();
    }

    @Test
    void quickWrites_areNotWorthAnyTime() {
        written(MILLISECOND / 20);
        assertThat(patience.nanos(0)).isZero();
    }

    @Test
    void writesThatHang_areNotWaitedForAsLong() {
        written(1_000 * MILLISECOND);
        assertThat(patience.nanos(0)).isEqualTo(2 * MILLISECOND);
    }

    @Test
    void waitThatPaid_isRepeated() {
        written(MILLISECOND);
        patience.learn(1, 2, MILLISECOND / 2);
        assertThat(patience.nanos(0)).isPositive();
    }

    @Test
    void waitsThatDidNotPay_becomeRare() {
        written(MILLISECOND);
        for (int skipped : new int[] {1, 3, 7, 15, 31, 63, 64, 64}) {
            patience.learn(10, 11, MILLISECOND / 2);
            for (int i = 0; i < skipped; i++) {
                assertThat(patience.nanos(0)).isZero();
            }
            assertThat(patience.nanos(0)).isPositive();
        }
    }
}
