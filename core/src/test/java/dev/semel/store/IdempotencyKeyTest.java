package dev.semel.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.id.MalformedException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

class IdempotencyKeyTest {

    @ParameterizedTest
    @NullAndEmptySource
    @ValueSource(strings = {" ", "a b", "é", "a\n", "a/b", "'; drop table", "\uD800", "k.", "\u0000"})
    @SuppressWarnings("NullAway") // hostile on purpose
    void keyOrUserOutOfForm_isRejected_byName(@Nullable String text) {
        assertThatThrownBy(() -> new IdempotencyKey("ann", "POST /", text))
                .isInstanceOf(MalformedException.class)
                .hasMessageStartingWith("key ");
        assertThatThrownBy(() -> new IdempotencyKey(text, "POST /", "k"))
                .isInstanceOf(MalformedException.class)
                .hasMessageStartingWith("user ");
    }

    @Test
    void keyOf255Characters_isFine_andOneMoreIsNot() {
        assertThat(new IdempotencyKey("a".repeat(255), "POST /", "k".repeat(255)).key())
                .hasSize(255);
        assertThatThrownBy(() -> new IdempotencyKey("a", "POST /", "k".repeat(256)))
                .isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> new IdempotencyKey("a".repeat(256), "POST /", "k"))
                .isInstanceOf(MalformedException.class);
    }

    @ParameterizedTest
    @NullAndEmptySource
    @ValueSource(strings = {"POST /\n", "POST /\u0000", "POST /\u0085", "\uD800", "a\uDC00", "\uDC00\uD800"})
    @SuppressWarnings("NullAway") // hostile on purpose
    void endpointOutOfForm_isRejected(@Nullable String endpoint) {
        assertThatThrownBy(() -> new IdempotencyKey("ann", endpoint, "k"))
                .isInstanceOf(MalformedException.class)
                .hasMessageStartingWith("endpoint ");
    }

    @Test
    void endpoint_mayHoldWhateverAPathHolds_upToItsLength() {
        for (String endpoint : List.of("POST /posts/1/likes", "x", "PUT /é/\uD83D\uDE00", "e".repeat(2048))) {
            assertThat(new IdempotencyKey("ann", endpoint, "k").endpoint()).isEqualTo(endpoint);
        }
        assertThatThrownBy(() -> new IdempotencyKey("ann", "e".repeat(2049), "k"))
                .isInstanceOf(MalformedException.class);
    }

    @Test
    void keys_areEqual_ifAllThreeAre() {
        IdempotencyKey key = new IdempotencyKey("u", "e", "k");
        assertThat(key)
                .isEqualTo(new IdempotencyKey("u", "e", "k"))
                .hasSameHashCodeAs(new IdempotencyKey("u", "e", "k"));
        for (IdempotencyKey other : List.of(
                new IdempotencyKey("v", "e", "k"),
                new IdempotencyKey("u", "f", "k"),
                new IdempotencyKey("u", "e", "l"))) {
            assertThat(key).isNotEqualTo(other);
        }
    }
}
