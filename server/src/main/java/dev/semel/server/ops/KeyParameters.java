package dev.semel.server.ops;

import dev.semel.id.MalformedException;
import dev.semel.server.web.ProblemException;
import dev.semel.server.web.Request;
import dev.semel.store.IdempotencyKey;

/** Reads the key that a request names. The endpoint is in the query; the other parts are in the path or in the query. */
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
