package dev.semel.testkit.client;

/**
 * An attempt of a client to send a request with a key, as the proxy saw it.
 *
 * @param request method, target and body: what identifies the entry, whatever its headers are
 * @param number 1 for the first attempt to send the request, and so on
 * @param key the value of {@code Idempotency-Key}
 * @param clientTxId the value of {@code X-Client-Tx-Id}; empty if there was none
 * @param authorization the value of {@code Authorization}; empty if there was none
 * @param fault what happened to it
 * @param startedNanos when the head of the request arrived
 * @param endedNanos when the client got the last byte, or closed the connection; {@link Long#MAX_VALUE} if it has not ended
 * @param serverStatus the status of the server's response; 0 if there was none
 * @param clientStatus the status of the response that the client got whole; 0 if it got none
 */
public record Attempt(
        String request,
        int number,
        String key,
        String clientTxId,
        String authorization,
        Fault fault,
        long startedNanos,
        long endedNanos,
        int serverStatus,
        int clientStatus) {

    /** Identifies a request by what is the same in every attempt. */
    public static String identity(String method, String target, String body) {
        return method + " " + target + " " + body;
    }

    /** Whether the attempt has ended. */
    public boolean isEnded() {
        return endedNanos != Long.MAX_VALUE;
    }
}
