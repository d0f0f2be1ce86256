package dev.semel.bench.http;

import dev.semel.bench.Median;
import dev.semel.bench.http.Wrk.Load;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What was measured of a server. */
final class HttpFigures {

    /** Requests: one that does nothing, the same with the headers and body of the others, a retry, and a new key. */
    static final String EMPTY = "empty";

    static final String FULL = "full";
    static final String REPLAY = "replay";
    static final String FRESH = "fresh";

    /** Posts whose events are delivered to all readers. */
    static final String EVENTS = "events";

    /** How many readers there are. */
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

    /** Memory during the soak test; empty if there was none. */
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

    /** Requests a second divided by those of another, in loads that followed one another: median of the rounds. */
    double times(String what, String other) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < of(what).size(); i++) {
            ratios.add(of(what).get(i).perSecond() / of(other).get(i).perSecond());
        }
        return Median.of(ratios);
    }
}
