package dev.semel.server.ops;

import dev.semel.id.MalformedException;
import dev.semel.server.web.ProblemException;
import dev.semel.server.web.Request;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.spi.IdempotencyRecord.KeyStatus;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads the key that a request names, and the status of the keys that it lists. The endpoint is in the query; the other parts are in the path or in the query. */
final class KeyParameters {

    private KeyParameters() {}

    /** @throws ProblemException if a part is missing or malformed */
    static IdempotencyKey key(Request request) {
        return key(request, text(request, "user"));
    }

    /** @throws ProblemException if a part is missing or malformed */
    static IdempotencyKey key(Request request, String user) {
        String endpoint = request.parameter("endpoint")
                .orElseThrow(() -> ProblemException.invalid(
                        "endpoint", "is missing: a method and a path, such as POST /v1/feed/posts"));
        try {
            return new IdempotencyKey(user, endpoint, text(request, "key"));
        } catch (MalformedException e) {
            throw ProblemException.malformed(e);
        }
    }

    /**
     * Returns the status that the keys of a list must have; null for any.
     *
     * @throws ProblemException if there is no such status
     */
    static @Nullable KeyStatus status(Request request) {
        String name = request.parameter("status").orElse(null);
        if (name == null) {
            return null;
        }
        return Arrays.stream(KeyStatus.values())
                .filter(status -> KeyJson.name(status).equals(name))
                .findFirst()
                .orElseThrow(() -> ProblemException.invalid(
                        "status", "must be processing, completed, failed, unknown or expired"));
    }

    /**
     * Returns a segment of the path or, on routes without it, a parameter of the query.
     *
     * @throws ProblemException if it is missing
     */
    static String text(Request request, String name) {
        return request.pathParts().containsKey(name)
                ? request.part(name)
                : request.parameter(name).orElseThrow(() -> ProblemException.invalid(name, "is missing"));
    }
}
