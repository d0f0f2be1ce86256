package dev.semel.outbox;

import java.net.http.HttpHeaders;
import java.util.List;
import java.util.Locale;

/**
 * Decides whether a response comes from the API. A captive portal, a proxy or a wrong server may respond in its place, and its 200 must not
 * confirm an entry, as its 403 must not fail one.
 */
@FunctionalInterface
public interface Proof {

    /**
     * The proof of Semel's own responses: the response has {@code Idempotency-Replayed} or {@code Idempotency-Expires}, or repeats the
     * {@code X-Client-Tx-Id} of the request. The response to another request, which a faulty proxy may deliver, proves nothing.
     */
    Proof SEMEL = (entry, status, headers) -> {
        List<String> repeated = headers.allValues("X-Client-Tx-Id");
        return repeated.isEmpty()
                ? headers.firstValue("Idempotency-Replayed").isPresent()
                        || headers.firstValue("Idempotency-Expires").isPresent()
                : repeated.contains(entry.clientTxId());
    };

    /** Whether a response to an entry comes from the API. */
    boolean isGiven(OutboxEntry entry, int status, HttpHeaders headers);

    /** Accepts responses that have a given header. */
    static Proof header(String name) {
        return (entry, status, headers) -> headers.firstValue(name).isPresent();
    }

    /** Accepts responses of a given media type, with any parameters. Captive portals respond with {@code text/html}. */
    static Proof contentType(String mediaType) {
        String expected = mediaType.toLowerCase(Locale.ROOT);
        return (entry, status, headers) -> headers.firstValue("Content-Type")
                .map(type -> type.toLowerCase(Locale.ROOT).split(";", 2)[0].strip())
                .filter(expected::equals)
                .isPresent();
    }
}
