package dev.semel.server.web;

import dev.semel.http.Problem;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Handles the messages of a WebSocket. Each message gets one reply. */
public interface WebSocketHandler extends Handler {

    /** Rejects requests that are not WebSocket upgrades. */
    @Override
    default ApiResponse handle(Request request) {
        throw new ProblemException(Problem.of(426, "upgrade_required", "Upgrade required")
                .detailed("This path is a WebSocket: send a WebSocket upgrade request"));
    }

    /**
     * Validates the path, before the user is authenticated.
     *
     * @param parts the segments that the route names
     * @throws ProblemException if a segment is malformed
     */
    void check(Map<String, String> parts);

    /**
     * Checks whether a user may send messages on this path.
     *
     * @throws ProblemException if not
     */
    void open(String user, Map<String, String> parts);

    /**
     * Handles a message. Does not wait if another call is handling the same message.
     *
     * @return the reply
     * @throws ProblemException if the message is rejected
     */
    ObjectNode handle(String user, Map<String, String> parts, ObjectNode message);

    /** Returns how long a message is retried while the same message is in progress elsewhere. After that, it is rejected. */
    Duration maxWait();

    /**
     * Returns the reply to a rejected message.
     *
     * @param message the message; null if it could not be parsed
     */
    default ObjectNode rejection(@Nullable JsonNode message, Problem problem) {
        return reply("error", JsonText.object(), problem);
    }

    /** Returns a problem as a reply, with a type and other members first. */
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
