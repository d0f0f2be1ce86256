package dev.semel.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.id.MalformedException;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

class IdempotencyKeyTest {

    @Test
    void derivedKeys_differUnlessAllPartsAreTheSame() {
        String derived = new IdempotencyKey("ann", "POST /refunds", "k-1").derive("refund");
        assertThat(derived).isEqualTo(new IdempotencyKey("ann", "POST /refunds", "k-1").derive("refund"));
        assertThat(derived).matches("[A-Za-z0-9_-]{43}");
        assertThat(Stream.of(
                                new IdempotencyKey("ann-k", "POST /refunds", "1"),
                                new IdempotencyKey("ann", "POST /refunds-k", "1"),
                                new IdempotencyKey("ann", "POST /refunds", "k-2"))
                        .map(key -> key.derive("refund")))
                .doesNotContain(derived)
                .doesNotHaveDuplicates();
        assertThat(new IdempotencyKey("ann", "POST /refunds", "k-1").derive("mail"))
                .isNotEqualTo(derived);
    }

    @ParameterizedTest
    @NullAndEmptySource
    @ValueSource(strings = {"é", "a\n", "\uD83D\uDE00", "\u007f", "\u0000"})
    @SuppressWarnings("NullAway") // hostile on purpose
    void malformedKey_isRejected_byName(@Nullable String text) {
        assertThatThrownBy(() -> new IdempotencyKey("ann", "POST /", text))
                .isInstanceOf(MalformedException.class)
                .hasMessageStartingWith("key ");
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "a b", "a/b", "'; drop table", "k.", "\"\\\"", "~", "."})
    void key_mayBeAnyStringOfRfc8941(String text) {
        assertThat(new IdempotencyKey("ann", "POST /", text).key()).isEqualTo(text);
    }

    @ParameterizedTest
    @NullAndEmptySource
    @ValueSource(strings = {".", "..", "a\n", "\u0000", "\u007f", "\u0085", "\uD800", "a\uDC00", "\uDC00\uD800"})
    @SuppressWarnings("NullAway") // hostile on purpose
    void malformedUser_isRejected_byName(@Nullable String text) {
        assertThat(IdempotencyKey.isUser(text)).isFalse();
        assertThatThrownBy(() -> new IdempotencyKey(text, "POST /", "k"))
                .isInstanceOf(MalformedException.class)
                .hasMessageStartingWith("user ")
                .hasMessageEndingWith(
                        "; expected 1 to 255 characters, no control characters, and neither \".\" nor \"..\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bob@example.com",
                "auth0|42",
                "ann,bob",
                "a/b",
                "Zoë",
                "李小龙",
                "\uD83D\uDE00",
                "...",
                "a b",
                " ",
                "CN=Bob, O=Example",
                "urn:x:1",
                "%2e",
                "<b>",
                "'; drop table"
            })
    void user_mayBeAnyTextWithoutControlCharacters(String text) {
        assertThat(IdempotencyKey.isUser(text)).isTrue();
        assertThat(new IdempotencyKey(text, "POST /", "k").user()).isEqualTo(text);
    }

    @Test
    void keyOf255Characters_isFine_andOneMoreIsNot() {
        assertThat(new IdempotencyKey("a".repeat(255), "POST /", "k".repeat(255)).key())
                .hasSize(255);
        assertThatThrownBy(() -> new IdempotencyKey("a", "POST /", "k".repeat(256)))
                .isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> new IdempotencyKey("a".repeat(256), "POST /", "k"))
                .isInstanceOf(MalformedException.class);
        String pair = "\uD83D\uDE00";
        assertThat(IdempotencyKey.isUser(pair.repeat(255))).isTrue();
        assertThatThrownBy(() -> IdempotencyKey.checkUser("sub", pair.repeat(256)))
                .hasMessageStartingWith("sub ")
                .hasMessageContaining(" has 256 characters; ");
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
