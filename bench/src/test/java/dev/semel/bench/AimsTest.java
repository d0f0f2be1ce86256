package dev.semel.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AimsTest {

    @Test
    void reachedAim_isShownWithTheValue() {
        assertThat(Aims.minimum(3.456, " ×", 3)).isEqualTo("3.45 × (aim 3.0)");
        assertThat(Aims.maximum(1.091, " ×", 1.5)).isEqualTo("1.10 × (aim at most 1.5)");
        assertThat(Aims.minimum(18_553.7, "", 7_000)).isEqualTo("18,553 (aim 7,000)");
        assertThat(Aims.maximum(0, "", 0)).isEqualTo("0 (aim at most 0)");
    }

    @Test
    void narrowlyMissedAim_isNotRoundedToTheAim() {
        assertThat(Aims.minimum(2.999, " ×", 3)).isEqualTo("2.99 × (aim 3.0) **missed**");
        assertThat(Aims.maximum(1.501, " ×", 1.5)).isEqualTo("1.51 × (aim at most 1.5) **missed**");
        assertThat(Aims.maximum(256.1, " MiB", 256)).isEqualTo("257 MiB (aim at most 256) **missed**");
    }
}
