package dev.semel.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.id.IdRegistry.IdKind;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class IdRegistryTest {

    private static final String V4 = "550e8400-e29b-41d4-a716-446655440000";

    private final IdKind table = new IdKind("tableId", List.of(IdSchemes.UUID4), "platform", "a session", "a table");
    private final IdKind session = new IdKind(
            "sessionId",
            List.of(IdSchemes.UUID4, IdSchemes.UUID4.prefixed("session")),
            "platform",
            "10 minutes",
            "a player's entry");
    private final IdKind user =
            new IdKind("userId", List.of(TextFormat.TEXT), "platform", "indefinitely", "a user across all systems");
    private final IdRegistry registry = new IdRegistry(List.of(table, session, user));

    @Test
    void eitherCase_isAcceptedAndBecomesCanonical() {
        assertThat(registry.accept("tableId", V4.toUpperCase(Locale.ROOT))).isEqualTo(V4);
        assertThat(registry.accept("sessionId", "session-" + V4)).isEqualTo("session-" + V4);
        assertThat(registry.accept("sessionId", V4)).isEqualTo(V4);
    }

    @Test
    void formatWithCapitals_keepsItsCase() {
        assertThat(registry.accept("userId", "wallet_0xAbC123")).isEqualTo("wallet_0xAbC123");
    }

    @Test
    void malformedId_isRejectedWithFieldValueAndWhatWasExpected() {
        assertThatThrownBy(() -> registry.accept("tableId", "123e4567-e89b-12d3-a456-426614174000"))
                .isInstanceOf(MalformedException.class)
                .hasMessage("tableId \"123e4567-e89b-12d3-a456-426614174000\" has version 1 (at 14); expected 36"
                        + " characters: lower-case hex digits grouped 8-4-4-4-12, a UUID of version 4");
        assertThatThrownBy(() -> session.accept("sid", null))
                .hasMessageStartingWith("sid (none) is missing; expected 36 characters")
                .hasMessageContaining("; or session- and 36 characters");
        assertThatThrownBy(() -> registry.accept("sessionId", "session-123e4567-e89b-12d3-a456-426614174000"))
                .hasMessageContaining("has version 1 (at 22)");
        assertThatThrownBy(() -> registry.accept("userId", "a b"))
                .hasMessageStartingWith("userId \"a b\" has a U+0020 (at 1)");
    }

    @Test
    void foldingCase_touchesNoLetterBeyondAscii() {
        String turkish = "\u0130" + V4.substring(1);
        assertThatThrownBy(() -> registry.accept("tableId", turkish))
                .isInstanceOfSatisfying(
                        MalformedException.class, e -> assertThat(e.value()).isEqualTo(turkish));
        assertThatThrownBy(() -> registry.accept("tableId", "\u212A".repeat(1 << 20)))
                .isInstanceOf(MalformedException.class);
    }

    @Test
    void minting_isByKind() {
        assertThat(IdSchemes.UUID4.isValid(registry.mint("tableId"))).isTrue();
        assertThatThrownBy(() -> registry.mint("userId")).hasMessageStartingWith("userId is not minted");
    }

    @Test
    void scheme_namesAllFormats() {
        assertThat(table.scheme()).isEqualTo("uuid4");
        assertThat(session.scheme()).isEqualTo("uuid4 or session-uuid4");
        assertThat(user.scheme()).isEqualTo("text");
    }

    @Test
    void kinds_areKnownByNameAndOnlyOnce() {
        assertThat(registry.kinds()).containsExactly(table, session, user);
        assertThat(registry.kind("tableId")).isSameAs(table);
        assertThatThrownBy(() -> registry.kind("chairId"))
                .hasMessageContaining("chairId")
                .hasMessageContaining("tableId");
        assertThatThrownBy(() -> new IdRegistry(List.of(table, table))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new IdKind("x", List.of(), "", "", "")).isInstanceOf(IllegalArgumentException.class);
    }
}
