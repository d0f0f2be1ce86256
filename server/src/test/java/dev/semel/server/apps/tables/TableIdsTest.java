package dev.semel.server.apps.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.id.IdRegistry.IdKind;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TableIdsTest {

    private static final String V4 = "550e8400-e29b-41d4-a716-446655440000";

    @ParameterizedTest
    @CsvSource({
        "tableId, 550e8400-e29b-41d4-a716-446655440000",
        "tableId, 550E8400-E29B-41D4-A716-446655440000",
        "tournamentId, tournament-1",
        "tournamentId, 789e0123-e45b-67c8-d901-234567890abc", // not a UUID, but valid text
        "userId, user-1",
        "userId, 550e8400-e29b-41d4-a716-446655440000",
        "userId, wallet_0xabc123",
        "sessionId, session-550e8400-e29b-41d4-a716-446655440000",
        "sessionId, 550e8400-e29b-41d4-a716-446655440000",
        "settlementId, 550e8400-e29b-41d4-a716-446655440000:550e8400-e29b-41d4-a716-446655440000",
        "settlementId, 550E8400-E29B-41D4-A716-446655440000:550e8400-e29b-41d4-a716-446655440000"
    })
    void wellFormedId_isAccepted(String kind, String id) {
        assertThat(TableIds.REGISTRY.accept(kind, id)).isEqualToIgnoringCase(id);
    }

    @ParameterizedTest
    @CsvSource({
        "handId, 123e4567-e89b-12d3-a456-426614174000, has version 1",
        "clientMsgId, 789e0123-e45b-67c8-d901-234567890abc, variant",
        "sessionId, session-123e4567-e89b-12d3-a456-426614174000, has version 1 (at 22)",
        "userId, a b, has a U+0020 (at 1)",
        "settlementId, 550e8400-e29b-41d4-a716-446655440000, lacks : after tableId",
        "settlementId, 550e8400-e29b-41d4-a716-446655440000:123e4567-e89b-12d3-a456-426614174000, has a handId that has version 1"
    })
    void malformedId_isRejectedByName(String kind, String id, String problem) {
        assertThatThrownBy(() -> TableIds.REGISTRY.accept(kind, id))
                .hasMessageStartingWith(kind + " \"")
                .hasMessageContaining(problem)
                .hasMessageContaining("; expected ");
    }

    @Test
    void acceptedUuid_becomesLowerCase() {
        assertThat(TableIds.REGISTRY.accept("tableId", V4.toUpperCase(Locale.ROOT)))
                .isEqualTo(V4);
    }

    @Test
    void everyKind_isMintedOrSaysWhyNot() {
        for (IdKind kind : TableIds.REGISTRY.kinds()) {
            if (kind.name().equals("settlementId")) {
                assertThatThrownBy(kind::mint).hasMessageContaining("not minted");
            } else {
                assertThat(kind.accept(kind.name(), kind.mint())).isNotEmpty();
            }
        }
    }
}
