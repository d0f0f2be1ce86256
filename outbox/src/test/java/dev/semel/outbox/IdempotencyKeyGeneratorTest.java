package dev.semel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.ControlledTime;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class IdempotencyKeyGeneratorTest {

    private static final String UUID4 = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";

    private final ControlledTime time = new ControlledTime();

    @Test
    void key_isARandomUuidAndTheMilliseconds() {
        String key = IdempotencyKeyGenerator.generate(time);
        assertThat(key).matches(UUID4 + "-" + time.millis()).matches("^[a-zA-Z0-9_-]{1,255}$");
        assertThat(IdempotencyKeyGenerator.generateClientTxId()).matches(UUID4);
    }

    @Test
    void keys_differAtOneMoment() {
        Set<String> keys = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            keys.add(IdempotencyKeyGenerator.generate(time));
            keys.add(IdempotencyKeyGenerator.generateClientTxId());
        }
        assertThat(keys).hasSize(2_000);
    }
}
