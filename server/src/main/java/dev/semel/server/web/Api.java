package dev.semel.server.web;

import dev.semel.http.Idempotency.Mode;
import dev.semel.http.IdempotencyFilter;
import dev.semel.http.Payload;
import dev.semel.http.Problem;
import dev.semel.http.RefusedException;
import dev.semel.server.web.Routes.Match;
import dev.semel.store.Transactions;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Hands each request to whoever answers it, and writes what they answer. What goes wrong beyond refusals is for {@link Edge}. */
public final class Api extends HttpServlet {

    private static final long serialVersionUID = 1L;

    /** The most bytes of a request's body. */
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
            refuseUnknown(request, response);
            return;
        }
        try {
            answer(match, request, response);
        } catch (Refusal refusal) {
            if (refusal.isUnreadable()) {
                IdempotencyFilter.doNotRecord(request);
            }
            if (refusal.problem().status() == HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE) {
                refusal.problem().sendUnread(request, response);
            } else {
                refusal.problem().send(response);
            }
        }
    }

    private void refuseUnknown(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Set<String> methods = routes.methods(request);
        if (methods.isEmpty()) {
            Refusal.notFound("path").problem().send(response);
            return;
        }
        if (methods.contains("GET")) {
            methods.add("HEAD");
        }
        methods.add("OPTIONS");
        response.setHeader("Allow", String.join(", ", methods));
        if (request.getMethod().equals("OPTIONS")) {
            send(Answer.nothing(), response);
        } else {
            Problem.of(405, "method_not_allowed", "Method not allowed").send(response);
        }
    }

    private void answer(Match match, HttpServletRequest request, HttpServletResponse response) throws IOException {
        Answer answer = answer(match, request);
        send(answer, response);
        if (answer.stream() != null && !request.getMethod().equals("HEAD")) {
            Outflow.begin(request, response, answer.stream(), callers);
        }
    }

    private Answer answer(Match match, HttpServletRequest request) throws IOException {
        byte[] body = WITHOUT_BODY.contains(request.getMethod()) ? new byte[0] : body(request);
        Map<String, String> query = Target.query(request.getQueryString());
        Caller caller = Caller.of(request);
        String user = caller == null ? "" : caller.user();
        Handler handler = match.route().handler();
        if (match.route().idempotency().mode() != Mode.ATOMIC) {
            return handler.handle(new Request(user, match.parts(), query, request::getHeader, body, null));
        }
        String clientTxId = IdempotencyFilter.clientTxId(request).orElse(null);
        Transactions.Operation<Answer, RuntimeException> operation =
                tx -> handler.handle(new Request(user, match.parts(), query, request::getHeader, body, tx, clientTxId));
        return IdempotencyFilter.transactionIfAny(request)
                .map(operation::run)
                .orElseGet(() ->
                        transactions.run(operation, match.route().idempotency().pauses()));
    }

    private static void send(Answer answer, HttpServletResponse response) throws IOException {
        response.setStatus(answer.status());
        answer.headers().forEach(response::setHeader);
        if (answer.body().length > 0) {
            response.setContentLength(answer.body().length);
            response.getOutputStream().write(answer.body());
        }
    }

    private static byte[] body(HttpServletRequest request) throws IOException {
        byte[] body;
        try {
            body = Payload.read(request, MOST_BYTES);
        } catch (RefusedException e) {
            throw Refusal.unreadable(e.problem());
        }
        if (body.length > 0) {
            requireJson(request.getHeader("Content-Type"), request.getHeader("Content-Encoding"));
        }
        return body;
    }

    /** A body of which nothing is said is taken for JSON, too; and so is what curl says unless it is told. */
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
            throw Refusal.unreadable(Problem.of(415, "unsupported_media_type", "Unsupported media type")
                    .detailed("Send JSON in UTF-8 as it is, with the header Content-Type: application/json"));
        }
    }
}
