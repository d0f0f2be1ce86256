package dev.semel.server.apps.tables;

import dev.semel.id.IdRegistry;
import dev.semel.id.IdRegistry.IdKind;
import dev.semel.id.IdSchemes;
import dev.semel.id.TextFormat;
import dev.semel.key.KeyTemplate;
import java.util.List;

/** The ids of a game platform: who makes each, what it looks like, how long it lives. */
public final class TableIds {

    /** What keeps a hand from being settled twice. */
    public static final KeyTemplate SETTLEMENT = KeyTemplate.of("{tableId:uuid4}:{handId:uuid4}");

    /** All kinds. */
    public static final IdRegistry REGISTRY = new IdRegistry(List.of(
            new IdKind("tableId", List.of(IdSchemes.UUID4), "platform", "a table's session", "a game table"),
            new IdKind(
                    "handId",
                    List.of(IdSchemes.UUID4),
                    "game server",
                    "a single hand",
                    "a hand, to settle and audit it"),
            new IdKind(
                    "tournamentId",
                    List.of(IdSchemes.UUID4, TextFormat.TEXT),
                    "platform",
                    "a tournament",
                    "the tables and hands of a tournament"),
            new IdKind(
                    "userId",
                    List.of(IdSchemes.UUID4, TextFormat.TEXT),
                    "platform",
                    "for ever",
                    "a user across all systems"),
            new IdKind(
                    "sessionId",
                    List.of(IdSchemes.UUID4, IdSchemes.UUID4.prefixed("session")),
                    "platform",
                    "10 minutes, as long as the game token",
                    "a user's entry into a game"),
            new IdKind(
                    "settlementId", List.of(SETTLEMENT), "game server", "for ever", "the settlement of a hand, once"),
            new IdKind(
                    "clientMsgId", List.of(IdSchemes.UUID4), "client", "60 seconds", "an action of a player, once")));

    private TableIds() {}
}
