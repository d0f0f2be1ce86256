package dev.semel.server.web;

import dev.semel.http.Problem;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What is spoken about on a WebSocket: one message in, one message out. */
public interface Talk extends Handler {

    /** Whoever comes without asking for a WebSocket is told to. */
    @Override
    default Answer handle(Request request) {
        throw new Refusal(
                Problem.of(426, "upgrade_required", "Upgrade required").detailed("Here is a WebSocket; ask for one"));
    }

    /**
     * Looks whether what is named in the path can be at all, before anybody has said who they are.
     *
     * @param parts the parts of the path that the route names
     * @throws Refusal if it cannot
     */
    void check(Map<String, String> parts);

    /**
     * Looks whether there is something to speak about.
     *
     * @throws Refusal if there is not
     */
    void begin(String user, Map<String, String> parts);

    /**
     * Does what a message asks, and does not wait for others who do the same.
     *
     * @throws Refusal if it is not done
     */
    ObjectNode answer(String user, Map<String, String> parts, ObjectNode message);

    /** How long a message is tried again for that others are being done with; after that it is refused. */
    Duration patience();

    /**
     * What is said about a message that was refused.
     *
     * @param message null if it could not be read
     */
    default ObjectNode refused(@Nullable JsonNode message, Problem problem) {
        return told("error", JsonText.object(), problem);
    }

    /** A problem as a message: its type and some members first. */
    static ObjectNode told(String type, ObjectNode first, Problem problem) {
        ObjectNode told = JsonText.object().put("type", type).setAll(first);
        told.put("status", problem.status())
                .put("code", problem.code())
                .put("error", problem.error())
                .put("detail", problem.detail());
        problem.members().forEach((name, value) -> {
            if (value instanceof Number number) {
                told.put(name, number.longValue());
            } else {
                told.put(name, value.toString());
            }
        });
        return told;
    }
}
