package dev.semel.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.document.Transactions;
import dev.semel.http.Idempotency.Mode;
import dev.semel.http.Problem;
import dev.semel.json.Json;
import dev.semel.server.openapi.Described;
import dev.semel.server.openapi.Description;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.App;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.ProblemException;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import tools.jackson.databind.JsonNode;

/** Calls an app without a port, for tests with thousands of requests or concurrent ones. */
public final class AppDriver {

    private final Transactions transactions;
    private final Routes routes = new Routes();
    private final Described described;

    public AppDriver(Transactions transactions, App app) {
        this.transactions = transactions;
        app.declare(routes);
        this.described = Described.by(Description.of(routes).toString());
    }

    /** The response of an app. */
    public record Reply(int status, Map<String, String> headers, String text) {

        public JsonNode json() {
            return JsonText.tree(Json.of(text));
        }

        public JsonNode at(String member) {
            return json().path(member);
        }
    }

    public Reply get(String user, String target) {
        return send(user, "GET", target, "");
    }

    public Reply post(String user, String target, String body) {
        return send(user, "POST", target, body);
    }

    /**
     * Sends a request.
     *
     * @param headers names and values in turn
     */
    public Reply send(String user, String method, String target, String body, String... headers) {
        Reply reply = answer(user, method, target, body, headers);
        described.checkAnswer(
                method,
                target,
                new Described.Answered(
                        reply.status,
                        Map.of("content-type", reply.headers.getOrDefault("Content-Type", "")),
                        reply.text.getBytes(UTF_8)));
        return reply;
    }

    private Reply answer(String user, String method, String target, String body, String... headers) {
        String path = target.split("\\?", 2)[0];
        Routes.Match match = routes.find(method, path).orElseThrow();
        Map<String, String> sent = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (int i = 0; i < headers.length; i += 2) {
            sent.put(headers[i], headers[i + 1]);
        }
        Request request = new Request(user, match.parts(), query(target), sent::get, body.getBytes(UTF_8), null);
        try {
            ApiResponse answer = match.route().idempotency().mode() == Mode.ATOMIC
                    ? transactions.run(tx -> match.route()
                            .handler()
                            .handle(new Request(user, match.parts(), request.query(), sent::get, request.body(), tx)))
                    : match.route().handler().handle(request);
            return new Reply(answer.status(), answer.headers(), new String(answer.body(), UTF_8));
        } catch (ProblemException e) {
            return new Reply(
                    e.problem().status(),
                    Map.of("Content-Type", Problem.CONTENT_TYPE),
                    new String(e.problem().toJson(), UTF_8));
        }
    }

    private static Map<String, String> query(String target) {
        Map<String, String> query = new LinkedHashMap<>();
        int from = target.indexOf('?');
        if (from >= 0) {
            for (String parameter : target.substring(from + 1).split("&", -1)) {
                String[] nameAndValue = parameter.split("=", 2);
                query.putIfAbsent(nameAndValue[0], nameAndValue[1]);
            }
        }
        return query;
    }

    /** The task of one thread in a race. */
    @FunctionalInterface
    public interface Turn<T> {
        T take(int thread) throws Exception;
    }

    /** Starts a task on many threads at the same moment, and returns their results. */
    public static <T> List<T> race(int threads, Turn<T> turn) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            CyclicBarrier start = new CyclicBarrier(threads);
            List<Future<T>> racing = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int thread = i;
                Callable<T> racer = () -> {
                    start.await();
                    return turn.take(thread);
                };
                racing.add(pool.submit(racer));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> racer : racing) {
                results.add(racer.get());
            }
            return results;
        } finally {
            pool.shutdownNow();
        }
    }
}
