package dev.semel.server.apps.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.key.KeyTemplate;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DocumentIdsTest {

    private static final String ID = "04XhXYx9xCjfPYf32";

    @Test
    void prefixedId_splitsIntoPrefixAndId() {
        assertThat(DocumentIds.PREFIXED.parse("user-" + ID)).isEqualTo(Map.of("prefix", "user", "id", ID));
        assertThat(DocumentIds.PREFIXED.range(Map.of("prefix", "user")).contains("user-" + ID))
                .isTrue();
        assertThat(DocumentIds.PREFIXED.range(Map.of("prefix", "user")).contains("users-" + ID))
                .isFalse();
    }

    @Test
    void scopedId_isListedByItsFirstParts() {
        String key = String.join("-", ID, ID, ID);
        assertThat(DocumentIds.SCOPED.parse(key)).hasSize(3);
        assertThat(DocumentIds.SCOPED
                        .range(Map.of("userid", ID, "workoutid", ID))
                        .contains(key))
                .isTrue();
    }

    @Test
    void scopedIdOfFreeTexts_cannotBeDeclared() {
        assertThatThrownBy(() -> KeyTemplate.of("{userid}-{workoutid}-{exerciseid}"))
                .hasMessageContaining("cannot be split back");
    }
}
