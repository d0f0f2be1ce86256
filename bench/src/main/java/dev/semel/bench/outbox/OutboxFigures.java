package dev.semel.bench.outbox;

import dev.semel.bench.Contest.Scores;
import dev.semel.bench.Median;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The figures of the outbox. */
final class OutboxFigures {

    /** Requests of wrk, which stores nothing. */
    static final String WRK = "wrk";

    /** Entries of an outbox on the embedded store. */
    static final String EMBEDDED = "embedded";

    /** Entries of an outbox on PostgreSQL. */
    static final String POSTGRES = "postgres";

    /** Entries of transaction-outbox, on the same PostgreSQL. */
    static final String PEER = "transaction-outbox";

    /** Adding to an outbox, and a synced write of as many bytes to bare RocksDB. */
    static final String ADD = "add";

    static final String BARE = "bare";

    private static final int LANES_PER_CONNECTION = 4;

    final int entries;
    final int connections;
    private final Map<String, List<Double>> perSecond = new LinkedHashMap<>();

    /** Adding, by the number of callers. */
    final Map<Integer, Scores> adding = new TreeMap<>();

    int bytesPerEntry;

    OutboxFigures(int entries, int connections) {
        this.entries = entries;
        this.connections = connections;
    }

    void add(String what, double requestsPerSecond) {
        perSecond.computeIfAbsent(what, any -> new ArrayList<>()).add(requestsPerSecond);
    }

    /** Returns the number of lanes: more than connections, so that each connection is busy until the end. */
    int lanes() {
        return LANES_PER_CONNECTION * connections;
    }

    private List<Double> of(String what) {
        return perSecond.getOrDefault(what, List.of());
    }

    int rounds() {
        return of(EMBEDDED).size();
    }

    /** Returns the requests per second: median of the rounds. */
    double perSecond(String what) {
        return Median.of(of(what));
    }

    /** Returns the requests per second of the slowest and of the fastest round. */
    String spread(String what) {
        List<Double> sorted = of(what).stream().sorted().toList();
        return sorted.isEmpty() ? "" : Math.round(sorted.get(0)) + "–" + Math.round(sorted.get(sorted.size() - 1));
    }

    /** Returns the requests per second of one contender, divided by those of another in the same round: median of the rounds. */
    double times(String what, String other) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < of(what).size(); i++) {
            ratios.add(of(what).get(i) / of(other).get(i));
        }
        return Median.of(ratios);
    }
}
