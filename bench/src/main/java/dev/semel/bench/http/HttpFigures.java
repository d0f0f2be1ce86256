package dev.semel.bench.http;

import dev.semel.bench.Median;
import dev.semel.bench.http.Wrk.Load;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The figures of the server. */
final class HttpFigures {

    /** Kinds of requests: an empty response, the same with headers and body, a retry, and a new key. */
    static final String EMPTY = "empty";

    static final String FULL = "full";
    static final String REPLAY = "replay";
    static final String FRESH = "fresh";

    /** Events that are delivered to all readers. */
    static final String EVENTS = "events";

    /** Number of readers of events. */
    static final int EVENT_READERS = 100;

    /** An action at a table, over a WebSocket. */
    static final String ACTION = "action";

    /** The same requests to Restate, if it is installed. */
    static final String RESTATE_REPLAY = "restate-replay";

    static final String RESTATE_FRESH = "restate-fresh";

    final int connections;
    private final Map<String, List<Load>> loads = new LinkedHashMap<>();
    Duration readyAfter = Duration.ZERO;
    long idleBytes;

    /** Memory samples of the soak test; empty without one. */
    final List<Long> soakBytes = new ArrayList<>();

    double soakPerSecond;

    HttpFigures(int connections) {
        this.connections = connections;
    }

    void add(String what, Load load) {
        loads.computeIfAbsent(what, any -> new ArrayList<>()).add(load);
    }

    private List<Load> of(String what) {
        return loads.getOrDefault(what, List.of());
    }

    boolean has(String what) {
        return loads.containsKey(what);
    }

    int rounds() {
        return of(EMPTY).size();
    }

    double perSecond(String what) {
        return Median.of(of(what).stream().map(Load::perSecond).toList());
    }

    double medianMicros(String what) {
        return Median.of(of(what).stream().map(Load::medianMicros).toList());
    }

    double slowMicros(String what) {
        return Median.of(of(what).stream().map(Load::slowMicros).toList());
    }

    /** Returns the requests per second of one kind, divided by those of another in the same round: median of the rounds. */
    double times(String what, String other) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < of(what).size(); i++) {
            ratios.add(of(what).get(i).perSecond() / of(other).get(i).perSecond());
        }
        return Median.of(ratios);
    }
}
