package dev.semel.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("jdk")
class GateTest {

    private final Gate gate = new Gate();

    @Test
    void openGate_isEnteredAndLeft_andClosedOnce() {
        assertThat(gate.enter()).isTrue();
        gate.leave();
        assertThat(gate.close()).isTrue();
        assertThat(gate.enter()).isFalse();
        assertThat(gate.close()).isFalse();
    }

    @Test
    void closing_letsNobodyIn_andWaitsForThoseInside() {
        assertThat(gate.enter()).isTrue();
        CompletableFuture<Boolean> closing = CompletableFuture.supplyAsync(gate::close);
        while (gate.enter()) {
            gate.leave();
            Thread.onSpinWait();
        }
        assertThat(closing).isNotDone();
        gate.leave();
        assertThat(closing.join()).isTrue();
    }
}
