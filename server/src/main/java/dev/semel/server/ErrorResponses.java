package dev.semel.server;

import dev.semel.http.Problem;
import dev.semel.server.web.ClientTxIds;
import dev.semel.server.web.Cors;
import dev.semel.server.web.ErrorFilter;
import dev.semel.server.web.SecurityHeaders;
import dev.semel.store.internal.UniqueIds;
import java.nio.ByteBuffer;
import java.util.function.IntConsumer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Responds with a problem to requests that Jetty rejects before they reach the filters. Of the request, the response contains only a
 * well-formed transaction id.
 */
final class ErrorResponses extends ErrorHandler {

    private static final Problem BAD_REQUEST = Problem.of(400, "bad_request", "Bad request")
            .detailed("The request is not HTTP, or its path or a header is malformed or ambiguous");
    private static final Logger LOG = LoggerFactory.getLogger(ErrorResponses.class);

    private final UniqueIds ids;
    private final Cors cors;
    private final IntConsumer onResponse;

    /**
     * @param ids mints the ids of requests
     * @param cors lets pages of other origins read the responses
     * @param onResponse receives the status of each response
     */
    ErrorResponses(UniqueIds ids, Cors cors, IntConsumer onResponse) {
        this.ids = ids;
        this.cors = cors;
        this.onResponse = onResponse;
    }

    @Override
    protected void generateResponse(
            Request request,
            Response response,
            int status,
            @Nullable String message,
            @Nullable Throwable cause,
            Callback callback) {
        Problem problem = problem(status);
        String id = response.getHeaders().get(ErrorFilter.REQUEST_ID_HEADER);
        if (id == null) {
            id = ids.next();
            response.getHeaders().put(ErrorFilter.REQUEST_ID_HEADER, id);
        }
        LOG.atLevel(problem.status() == 500 ? Level.ERROR : Level.INFO)
                .addKeyValue("request", id)
                .addKeyValue("status", problem.status())
                .addKeyValue("thrown", cause == null ? null : cause.getClass().getName())
                .log("rejected before routing");
        onResponse.accept(problem.status());
        response.setStatus(problem.status());
        SecurityHeaders.set(request, response.getHeaders());
        ClientTxIds.set(request, response.getHeaders());
        cors.set(request, response.getHeaders());
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, Problem.CONTENT_TYPE);
        if (problem.status() == 503) {
            response.getHeaders().put(HttpHeader.RETRY_AFTER, "1");
        }
        response.write(true, ByteBuffer.wrap(problem.toJson()), callback);
    }

    @Override
    public boolean errorPageForMethod(String method) {
        return true;
    }

    private static Problem problem(int status) {
        return switch (status) {
            case 404 -> Problem.of(404, "not_found", "Not found");
            case 408 -> Problem.of(408, "request_timeout", "Request timeout");
            case 413 -> Problem.of(413, "payload_too_large", "Payload too large");
            case 414 -> Problem.of(414, "path_too_long", "Path too long");
            case 417 -> Problem.of(417, "expectation_failed", "Expectation failed");
            case 505 -> Problem.of(400, "unsupported_version", "Unsupported HTTP version");
            case 431 -> Problem.of(431, "headers_too_large", "Headers too large");
            case 501 -> BAD_REQUEST;
            case 503 -> Health.stoppingProblem();
            default -> status >= 500 ? Problem.of(500, "internal_error", "Internal error") : BAD_REQUEST;
        };
    }
}
