package dev.semel.server.web;

import dev.semel.http.Idempotency;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What is answered where: methods and paths, with who does it and how often it may happen. */
public final class Routes {

    private static final String ATTRIBUTE = Match.class.getName();

    private final Map<Integer, List<Route>> byLength = new HashMap<>();

    /** Who may ask. */
    public enum Access {
        /** Without saying who they are. */
        ANYBODY,
        /** Who has a token. */
        USERS,
        /** Who has a token with the role {@value Caller#OPERATOR}. */
        OPERATORS
    }

    /**
     * What is done for a method and a path.
     *
     * @param method such as {@code GET}
     * @param pattern the path as it is declared, which tells nothing of what is asked for
     * @param segments the same without its first slash, cut at slashes; {@code {name}} stands for any one segment
     * @param idempotency how keys are dealt with
     * @param access who may ask
     */
    public record Route(
            String method,
            String pattern,
            List<String> segments,
            Idempotency idempotency,
            Access access,
            Handler handler) {

        private boolean fits(List<String> path) {
            for (int i = 0; i < segments.size(); i++) {
                if (!isPart(segments.get(i)) && !segments.get(i).equals(path.get(i))) {
                    return false;
                }
            }
            return true;
        }

        private Map<String, String> parts(List<String> path) {
            Map<String, String> parts = new LinkedHashMap<>();
            for (int i = 0; i < segments.size(); i++) {
                String segment = segments.get(i);
                if (isPart(segment)) {
                    parts.put(segment.substring(1, segment.length() - 1), path.get(i));
                }
            }
            return parts;
        }

        private static boolean isPart(String segment) {
            return segment.startsWith("{");
        }
    }

    /** A route, and the parts of the path that it names. */
    public record Match(Route route, Map<String, String> parts) {}

    /** Something to be read. */
    public Routes get(String path, Handler handler) {
        return add("GET", path, Idempotency.NONE, Access.USERS, handler);
    }

    /** Something that operators see or do. */
    public Routes operator(String method, String path, Handler handler) {
        return add(method, path, Idempotency.NONE, Access.OPERATORS, handler);
    }

    /** Something to be read by anybody. */
    public Routes getOpen(String path, Handler handler) {
        return add("GET", path, Idempotency.NONE, Access.ANYBODY, handler);
    }

    /** Something that changes what is stored, in the request's transaction; retried with a key it happens once. */
    public Routes atomic(String method, String path, Handler handler) {
        return add(method, path, atomic(handler), Access.USERS, handler);
    }

    /** The same, where a key and the client's transaction id must be sent. */
    public Routes atomicWithKey(String method, String path, Handler handler) {
        return add(method, path, atomic(handler).withKeyAndClientTxId(), Access.USERS, handler);
    }

    private static Idempotency atomic(Handler handler) {
        return handler.conflictPolicy()
                .map(policy -> Idempotency.atomic().withBackoff(policy.backoff()))
                .orElseGet(Idempotency::atomic);
    }

    /** Any route. */
    public Routes add(String method, String path, Idempotency idempotency, Access access, Handler handler) {
        List<String> segments = segments(path);
        byLength.computeIfAbsent(segments.size(), n -> new ArrayList<>())
                .add(new Route(method, path, segments, idempotency, access, handler));
        return this;
    }

    /**
     * Who answers a request: empty if nobody does, or not with this method. {@code HEAD} is answered as {@code GET} is.
     *
     * @throws ProblemException if the path is malformed
     */
    public Optional<Match> find(HttpServletRequest request) {
        Match known = known(request);
        if (known != null) {
            return Optional.of(known);
        }
        String method = request.getMethod().equals("HEAD") ? "GET" : request.getMethod();
        Optional<Match> match = find(method, Target.segments(request.getRequestURI()));
        match.ifPresent(found -> request.setAttribute(ATTRIBUTE, found));
        return match;
    }

    /** What was found for a request before; null if nothing was, or nobody has looked. */
    public static @Nullable Match known(HttpServletRequest request) {
        return (Match) request.getAttribute(ATTRIBUTE);
    }

    /** The route of a method and a path: empty if there is none. */
    public Optional<Match> find(String method, String path) {
        return find(method, Target.segments(path));
    }

    private Optional<Match> find(String method, List<String> segments) {
        for (Route route : ofLength(segments)) { // every request comes this way: a stream would cost more than the rest
            if (route.method.equals(method) && route.fits(segments)) {
                return Optional.of(new Match(route, route.parts(segments)));
            }
        }
        return Optional.empty();
    }

    /** The methods with which the path of a request is answered; empty if there is nothing there. */
    Set<String> methods(HttpServletRequest request) {
        Set<String> methods = new TreeSet<>();
        List<String> segments = Target.segments(request.getRequestURI());
        for (Route route : ofLength(segments)) {
            if (route.fits(segments)) {
                methods.add(route.method);
            }
        }
        return methods;
    }

    /** All of them, by path. */
    public List<Route> all() {
        return byLength.values().stream()
                .flatMap(List::stream)
                .sorted(Comparator.comparing(Route::pattern).thenComparing(Route::method))
                .toList();
    }

    private List<Route> ofLength(List<String> segments) {
        return byLength.getOrDefault(segments.size(), List.of());
    }

    private static List<String> segments(String path) {
        return List.of(path.substring(1).split("/", -1));
    }
}
