package dev.semel.server.apps.tables;

import dev.semel.id.IdRegistry;
import dev.semel.id.IdRegistry.IdKind;
import dev.semel.id.IdScheme;
import dev.semel.id.IdSchemes;
import dev.semel.id.TextFormat;
import dev.semel.key.KeyTemplate;
import java.util.List;
import java.util.Locale;

/** The registry of ids in a game platform. */
public final class TableIds {

    /** The id of a settlement, which is unique for each hand of a table. */
    public static final KeyTemplate SETTLEMENT = KeyTemplate.of("{tableId:uuid4}:{handId:uuid4}");

    /** All kinds of ids, with their formats and lifetimes. */
    public static final IdRegistry REGISTRY = new IdRegistry(List.of(
            new IdKind(
                    "tableId",
                    List.of(IdSchemes.UUID4),
                    "platform",
                    "until the table is ended or not used for a day",
                    "a game table"),
            new IdKind(
                    "handId",
                    List.of(IdSchemes.UUID4),
                    "game server",
                    "a single hand, at most a day",
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
                    "permanent",
                    "a user across all systems"),
            new IdKind(
                    "sessionId",
                    List.of(IdSchemes.UUID4, IdSchemes.UUID4.prefixed("session")),
                    "platform",
                    "10 minutes, as long as the game token",
                    "a user's entry into a game"),
            new IdKind(
                    "settlementId", List.of(SETTLEMENT), "game server", "permanent", "the settlement of a hand, once"),
            new IdKind(
                    "clientMsgId", List.of(IdSchemes.UUID4), "client", "60 seconds", "an action of a player, once")));

    private static final String SESSION = "session";
    private static final IdScheme PREFIXED_SESSION = IdSchemes.UUID4.prefixed(SESSION);

    private TableIds() {}

    /** Returns the id of a session without its prefix, in lower case, and any other text unchanged. */
    static String withoutSessionPrefix(String id) {
        boolean fits = id.length() == PREFIXED_SESSION.maxLength();
        String folded = fits ? id.toLowerCase(Locale.ROOT) : id;
        return fits && PREFIXED_SESSION.isValid(folded) ? folded.substring(SESSION.length() + 1) : id;
    }
}
