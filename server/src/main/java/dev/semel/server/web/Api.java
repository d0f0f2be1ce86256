package dev.semel.server.web;

import dev.semel.document.Transactions;
import dev.semel.document.Transactions.WriteConflictException;
import dev.semel.http.Idempotency.Mode;
import dev.semel.http.Payload;
import dev.semel.http.Problem;
import dev.semel.http.RejectedException;
import dev.semel.http.servlet.IdempotencyFilter;
import dev.semel.http.servlet.ProblemSender;
import dev.semel.http.servlet.ServletRequestView;
import dev.semel.server.web.Routes.Match;
import dev.semel.store.StoreException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Dispatches each request to its handler, and sends the response. {@link ErrorFilter} handles exceptions other than {@link
 * ProblemException}.
 */
public final class Api extends HttpServlet {

    private static final long serialVersionUID = 1L;

    /** The maximum size of a request body in bytes. */
    public static final int MOST_BYTES = 1 << 20;

    private static final Set<String> WITHOUT_BODY = Set.of("GET", "HEAD");

    private final transient Routes routes;
    private final transient Transactions transactions;
    private final transient Callers callers;

    public Api(Routes routes, Transactions transactions, Callers callers) {
        this.routes = routes;
        this.transactions = transactions;
        this.callers = callers;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Match match = routes.find(request).orElse(null);
        if (match == null) {
            rejectUnknown(request, response);
            return;
        }
        try {
            respond(match, request, response);
        } catch (ProblemException e) {
            if (e.isUnreadable()) {
                IdempotencyFilter.doNotRecord(request);
            }
            if (e.problem().status() == HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE) {
                ProblemSender.sendUnread(e.problem(), request, response);
            } else {
                ErrorPages.send(e.problem(), request, response);
            }
        } catch (StoreException | WriteConflictException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new UnexpectedException(e);
        }
    }

    private void rejectUnknown(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Set<String> methods = routes.methods(request);
        if (methods.isEmpty()) {
            ErrorPages.send(ProblemException.notFound("path").problem(), request, response);
            return;
        }
        if (methods.contains("GET")) {
            methods.add("HEAD");
        }
        methods.add("OPTIONS");
        response.setHeader("Allow", String.join(", ", methods));
        if (request.getMethod().equals("OPTIONS")) {
            send(ApiResponse.nothing(), response);
        } else {
            ErrorPages.send(Problem.of(405, "method_not_allowed", "Method not allowed"), request, response);
        }
    }

    private void respond(Match match, HttpServletRequest request, HttpServletResponse response) throws IOException {
        ApiResponse result = result(match, request);
        send(result, response);
        if (result.stream() != null && !request.getMethod().equals("HEAD")) {
            StreamingResponse.begin(request, response, result.stream(), callers);
        }
    }

    private ApiResponse result(Match match, HttpServletRequest request) throws IOException {
        byte[] body = WITHOUT_BODY.contains(request.getMethod()) ? new byte[0] : body(request);
        Map<String, String> query = Target.query(request.getQueryString());
        Caller caller = Caller.of(request);
        String user = caller == null ? "" : caller.user();
        boolean isOperator = caller != null && caller.isOperator();
        Handler handler = match.route().handler();
        if (match.route().idempotency().mode() != Mode.ATOMIC) {
            return handler.handle(
                    new Request(user, match.parts(), query, request::getHeader, body, null, null, isOperator));
        }
        String clientTxId = IdempotencyFilter.clientTxId(request).orElse(null);
        Transactions.Operation<ApiResponse, RuntimeException> operation = tx -> handler.handle(
                new Request(user, match.parts(), query, request::getHeader, body, tx, clientTxId, isOperator));
        return IdempotencyFilter.transactionIfAny(request)
                .map(operation::run)
                .orElseGet(() -> transactions.run(
                        operation, match.route().idempotency(request).backoff()));
    }

    private static void send(ApiResponse result, HttpServletResponse response) throws IOException {
        response.setStatus(result.status());
        result.headers().forEach((name, value) -> {
            if (name.equals("Vary")) {
                response.addHeader(name, value); // the response may vary by other headers, too
            } else {
                response.setHeader(name, value);
            }
        });
        if (result.body().length > 0) {
            response.setContentLength(result.body().length);
            response.getOutputStream().write(result.body());
        }
    }

    private static byte[] body(HttpServletRequest request) throws IOException {
        byte[] body;
        try {
            body = Payload.read(new ServletRequestView(request), MOST_BYTES);
        } catch (RejectedException e) {
            throw ProblemException.unreadable(e.problem());
        }
        if (body.length > 0) {
            requireJson(request.getHeader("Content-Type"), request.getHeader("Content-Encoding"));
        }
        return body;
    }

    /** Accepts JSON, a missing content type, and the content type that curl sends by default. Rejects everything else. */
    private static void requireJson(@Nullable String contentType, @Nullable String encoding) {
        String[] parts = contentType == null ? new String[] {"application/json"} : contentType.split(";", -1);
        String type = parts[0].strip().toLowerCase(Locale.ROOT);
        boolean json = type.equals("application/json")
                || type.equals("application/x-www-form-urlencoded")
                || (type.startsWith("application/") && type.endsWith("+json"));
        for (int i = 1; i < parts.length; i++) {
            String parameter = parts[i].strip().toLowerCase(Locale.ROOT).replace("\"", "");
            json &= !parameter.startsWith("charset=") || parameter.equals("charset=utf-8");
        }
        if (!json || (encoding != null && !encoding.equalsIgnoreCase("identity"))) {
            throw ProblemException.unreadable(Problem.of(415, "unsupported_media_type", "Unsupported media type")
                    .detailed("Send uncompressed JSON in UTF-8 with the header Content-Type: application/json"));
        }
    }
}
