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

/** The routes of a server. Each has a method, a path, an access rule, an idempotency mode and a handler. */
public final class Routes {

    private static final String ATTRIBUTE = Match.class.getName();

    private final Map<Integer, List<Route>> byLength = new HashMap<>();

    public enum Access {
        /** Everyone, without a token. */
        PUBLIC,
        /** Users with a valid token. */
        USERS,
        /** Users whose token has the role {@value Caller#OPERATOR}. */
        OPERATORS
    }

    /**
     * A method and a path, and how their requests are handled.
     *
     * @param method the HTTP method
     * @param pattern the declared path, which contains no ids or keys
     * @param segments the segments of the path; {@code {name}} matches any segment
     * @param idempotency how idempotency keys are handled
     * @param access who may use the route
     */
    public record Route(
            String method,
            String pattern,
            List<String> segments,
            Idempotency idempotency,
            Access access,
            Handler handler) {

        /** Returns how the idempotency key and the write conflicts of a request are handled. */
        public Idempotency idempotency(HttpServletRequest request) {
            return handler.conflictPolicy(request::getHeader)
                    .map(policy -> idempotency.withBackoff(policy.backoff()))
                    .orElse(idempotency);
        }

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

    /** A route that matches a path, and the segments that the route names. */
    public record Match(Route route, Map<String, String> parts) {}

    /** Declares a route for users that reads. */
    public Routes get(String path, Handler handler) {
        return add("GET", path, Idempotency.NONE, Access.USERS, handler);
    }

    /** Declares a route for operators. */
    public Routes operator(String method, String path, Handler handler) {
        return add(method, path, Idempotency.NONE, Access.OPERATORS, handler);
    }

    /** Declares a route that reads, and requires no token. */
    public Routes getOpen(String path, Handler handler) {
        return add("GET", path, Idempotency.NONE, Access.PUBLIC, handler);
    }

    /** Declares a route for users that writes in the transaction of its request. With a key, it is executed once. */
    public Routes atomic(String method, String path, Handler handler) {
        return add(method, path, Idempotency.atomic(), Access.USERS, handler);
    }

    /** Declares an atomic route that requires a key and a client transaction id. */
    public Routes atomicWithKey(String method, String path, Handler handler) {
        return add(method, path, Idempotency.atomic().withKeyAndClientTxId(), Access.USERS, handler);
    }

    /** Declares a route with all its properties. */
    public Routes add(String method, String path, Idempotency idempotency, Access access, Handler handler) {
        List<String> segments = segments(path);
        byLength.computeIfAbsent(segments.size(), n -> new ArrayList<>())
                .add(new Route(method, path, segments, idempotency, access, handler));
        return this;
    }

    /**
     * Returns the route of a request; empty if no route has its path and method. {@code HEAD} uses the route of {@code GET}.
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

    /** Returns the route that an earlier call found for a request; null if there was none. */
    public static @Nullable Match known(HttpServletRequest request) {
        return (Match) request.getAttribute(ATTRIBUTE);
    }

    /** Returns the route of a method and a path; empty if there is none. */
    public Optional<Match> find(String method, String path) {
        return find(method, Target.segments(path));
    }

    private Optional<Match> find(String method, List<String> segments) {
        for (Route route : ofLength(segments)) { // a loop, because this runs for every request and a stream costs more
            if (route.method.equals(method) && route.fits(segments)) {
                return Optional.of(new Match(route, route.parts(segments)));
            }
        }
        return Optional.empty();
    }

    /** Returns the methods that the path of a request supports; empty if no route has the path. */
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

    /** Returns all routes, ordered by path and method. */
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
