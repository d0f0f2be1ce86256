package dev.semel.server.web;

import dev.semel.http.Problem;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Handles the messages on a WebSocket: one message in, one message out. */
public interface WebSocketHandler extends Handler {

    /** Rejects a request that does not ask for a WebSocket. */
    @Override
    default ApiResponse handle(Request request) {
        throw new ProblemException(
                Problem.of(426, "upgrade_required", "Upgrade required").detailed("Here is a WebSocket; ask for one"));
    }

    /**
     * Checks the path, before the user is known.
     *
     * @param parts the parts of the path that the route names
     * @throws ProblemException if it is malformed
     */
    void check(Map<String, String> parts);

    /**
     * Checks whether the user may send messages here.
     *
     * @throws ProblemException if not
     */
    void open(String user, Map<String, String> parts);

    /**
     * Handles a message, without waiting for others that do the same.
     *
     * @throws ProblemException if it is rejected
     */
    ObjectNode handle(String user, Map<String, String> parts, ObjectNode message);

    /** How long a message is retried while the same one is in progress elsewhere; after that it is rejected. */
    Duration maxWait();

    /**
     * The reply to a rejected message.
     *
     * @param message null if it could not be parsed
     */
    default ObjectNode rejection(@Nullable JsonNode message, Problem problem) {
        return reply("error", JsonText.object(), problem);
    }

    /** A problem as a message: its type and some members first. */
    static ObjectNode reply(String type, ObjectNode first, Problem problem) {
        ObjectNode reply = JsonText.object().put("type", type).setAll(first);
        reply.put("status", problem.status())
                .put("code", problem.code())
                .put("error", problem.error())
                .put("detail", problem.detail());
        problem.members().forEach((name, value) -> {
            if (value instanceof Number number) {
                reply.put(name, number.longValue());
            } else {
                reply.put(name, value.toString());
            }
        });
        return reply;
    }
}
