package dev.semel.server.web;

import dev.semel.http.HttpOnce;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;

/**
 * Repeats the {@code X-Client-Tx-Id} of each request with an {@code Idempotency-Key} in its response, including responses to requests that
 * are rejected before they reach the idempotency filter.
 */
public final class ClientTxIds implements HttpConfiguration.Customizer {

    @Override
    public Request customize(Request request, HttpFields.Mutable responseHeaders) {
        set(request, responseHeaders);
        return request;
    }

    /** Sets the header on a response whose headers were reset. */
    public static void set(Request request, HttpFields.Mutable responseHeaders) {
        String clientTxId = HttpOnce.repeatedClientTxId(request.getMethod(), request.getHeaders()::getValuesList);
        if (clientTxId != null) {
            responseHeaders.put(HttpOnce.CLIENT_TX_ID_HEADER, clientTxId);
        }
    }
}
