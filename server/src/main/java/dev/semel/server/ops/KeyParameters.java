package dev.semel.server.ops;

import dev.semel.id.MalformedException;
import dev.semel.server.web.ProblemException;
import dev.semel.server.web.Request;
import dev.semel.store.IdempotencyKey;

/** Reads the key that a request names: the key from the path, its endpoint from the query. */
final class KeyParameters {

    private KeyParameters() {}

    /** @throws ProblemException if the endpoint is missing, or a part is malformed */
    static IdempotencyKey key(Request request, String user) {
        String endpoint = request.parameter("endpoint")
                .orElseThrow(() -> ProblemException.invalid(
                        "endpoint", "is missing: a method and a path, such as POST /v1/feed/posts"));
        try {
            return new IdempotencyKey(user, endpoint, request.part("key"));
        } catch (MalformedException e) {
            throw ProblemException.malformed(e);
        }
    }
}
