package dev.semel.bench.outbox;

import dev.semel.outbox.OutboxRequest;
import java.net.URI;

/**
 * The API to which entries are sent.
 *
 * @param api its address
 * @param token the bearer token of a user
 */
record Target(URI api, String token) {

    /** The endpoint to which all contenders send. */
    static final String ENDPOINT = "/v1/feed/posts";

    /** The payload that all contenders send. */
    static final String PAYLOAD = "{\"text\":\"black coffee, please\"}";

    /** Returns the address of the endpoint. */
    URI endpoint() {
        return api.resolve(ENDPOINT);
    }

    /** Returns the request that all outboxes send. */
    static OutboxRequest request(String lane) {
        return OutboxRequest.post(ENDPOINT).operation("create_post").lane(lane).json(PAYLOAD);
    }

    /** Returns a wrk script that sends the payload, each time with a new key. */
    String script() {
        return "wrk.method = 'POST'\n"
                + "wrk.body = '" + PAYLOAD + "'\n"
                + "wrk.headers['Authorization'] = 'Bearer " + token + "'\n"
                + "wrk.headers['Content-Type'] = 'application/json'\n"
                + "math.randomseed(os.time())\n"
                + "local prefix = tostring(os.time()) .. '-' .. tostring(math.random(1e9)) .. '-'\n"
                + "local count = 0\n"
                + "function request()\n"
                + "  count = count + 1\n"
                + "  wrk.headers['Idempotency-Key'] = prefix .. count\n"
                + "  wrk.headers['X-Client-Tx-Id'] = prefix .. count\n"
                + "  return wrk.format()\n"
                + "end\n";
    }
}
