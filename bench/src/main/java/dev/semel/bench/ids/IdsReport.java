package dev.semel.bench.ids;

import dev.semel.bench.BarChart;
import dev.semel.bench.Measurements;
import dev.semel.bench.Measurements.Series;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Tells what was measured: ratios first, then every figure, and a plot. */
final class IdsReport {

    private static final List<String> OURS = List.of("tid62", "uuid4", "uuid4s", "uuid464", "uuid7", "ulid");

    /** Peers that ask the system for randomness for each id. */
    private static final List<String> FRESH =
            List.of("jdkUuid4", "uuidCreator4", "uuidCreator7", "ulidCreator", "ksuidCreator", "jnanoid");

    /** Peers that count on from the last id, and so need little randomness or none. */
    private static final List<String> MONOTONIC =
            List.of("javaUuidGenerator7", "ulidCreatorMonotonic", "tsidCreator", "typeid", "uuidCreator7");

    private static final Map<String, String> LABELS = Map.ofEntries(
            Map.entry("jdkUuid4", "JDK UUID, v4"),
            Map.entry("uuidCreator4", "uuid-creator 6.1.1, v4"),
            Map.entry("uuidCreator7", "uuid-creator 6.1.1, v7"),
            Map.entry("uuidCreatorGuid4", "uuid-creator 6.1.1, GUID v4"),
            Map.entry("javaUuidGenerator7", "java-uuid-generator 5.2.0, v7"),
            Map.entry("ulidCreator", "ulid-creator 5.2.4"),
            Map.entry("ulidCreatorMonotonic", "ulid-creator 5.2.4, monotonic"),
            Map.entry("ksuidCreator", "ksuid-creator 4.1.1"),
            Map.entry("tsidCreator", "tsid-creator 5.2.6"),
            Map.entry("jnanoid", "jnanoid 2.0.0"),
            Map.entry("typeid", "typeid-java 0.2.0"));

    private final Measurements measured;

    IdsReport(Measurements measured) {
        this.measured = measured;
    }

    String markdown() {
        StringBuilder page = new StringBuilder();
        page.append("# Ids: how fast\n\n");
        page.append("Written by `./semel bench ids`. JDK ")
                .append(Runtime.version().feature())
                .append(", ")
                .append(Runtime.getRuntime().availableProcessors())
                .append(
                        " processors. Everything is measured in turn, round after round, each time in a JVM of its own;")
                .append(
                        " figures are medians over the rounds. Compare ratios, not nanoseconds: machines differ and are")
                .append(" noisy.\n\n![Nanoseconds to mint an id](ids.svg)\n\n## Ratios\n\n");
        page.append(
                        "How many times faster than the best of its rivals; above 1 is faster. In checking and reading, the JDK,")
                .append(
                        " uuid-creator's GUID and its `fromString` do less: they take any version of UUID, and upper case, too.\n\n");
        page.append("| what | one thread | two threads | aim |\n|---|---|---|---|\n");
        page.append(ratio("Minting", "tid62", FRESH, "peers with fresh randomness", "4 · 2"));
        page.append(ratio("Minting", "tid62", MONOTONIC, "monotonic peers", "1 · 2"));
        page.append(ratio("Minting", "uuid4", List.of("jdkUuid4", "uuidCreator4"), "other v4", "1 · 1"));
        page.append(ratio("Minting", "uuid7", List.of("uuidCreator7", "javaUuidGenerator7"), "other v7", "1 · 1"));
        page.append(ratio("Minting", "ulid", List.of("ulidCreator", "ulidCreatorMonotonic"), "other ULIDs", "1 · 1"));
        for (String task : List.of("Checking", "Reading")) {
            page.append(
                    ratio(task, "uuid4", List.of("jdkUuid4", "uuidCreator4", "uuidCreatorGuid4"), "other v4", "1 · 1"));
            page.append(ratio(task, "uuid7", List.of("uuidCreator7"), "other v7", "1 · 1"));
            page.append(ratio(task, "ulid", List.of("ulidCreator"), "other ULIDs", "1 · 1"));
        }
        page.append(String.format(
                Locale.ROOT,
                "%nTwo threads together mint %.2f × as many `tid62` a second as one.%n",
                2 * nanos("Minting", "tid62", 1) / nanos("Minting", "tid62", 2)));
        for (Class<?> task : IdsBench.TASKS) {
            page.append(table(task));
        }
        return page.toString();
    }

    private String ratio(String task, String ours, List<String> peers, String against, String aim) {
        StringBuilder row =
                new StringBuilder("| " + task.toLowerCase(Locale.ROOT) + " `" + ours + "`, to " + against + " |");
        for (int threads : IdsBench.THREADS) {
            String best = peers.stream()
                    .filter(peer -> measured.has(new Series(task, peer, threads)))
                    .min(Comparator.comparingDouble(peer -> nanos(task, peer, threads)))
                    .orElseThrow();
            row.append(String.format(
                    Locale.ROOT, " %.2f (%s) |", nanos(task, best, threads) / nanos(task, ours, threads), label(best)));
        }
        return row + " " + aim + " |\n";
    }

    private String table(Class<?> task) {
        StringBuilder table = new StringBuilder("\n## " + task.getSimpleName() + "\n\n");
        table.append("| | one thread, ns | spread | two threads, ns | spread | bytes |\n|---|---|---|---|---|---|\n");
        for (String subject : subjects(task)) {
            Series one = new Series(task.getSimpleName(), subject, 1);
            Series two = new Series(task.getSimpleName(), subject, 2);
            table.append(String.format(
                    Locale.ROOT,
                    "| %s | %.1f | %s | %.1f | %s | %.0f |%n",
                    OURS.contains(subject) ? "**" + subject + "**" : label(subject),
                    measured.median(one),
                    measured.spread(one),
                    measured.median(two),
                    measured.spread(two),
                    measured.bytes(one)));
        }
        return table.toString();
    }

    /** Ours first, then by speed. */
    private List<String> subjects(Class<?> task) {
        List<String> subjects = new ArrayList<>(
                IdsBench.benchmarks(task).stream().map(Method::getName).toList());
        subjects.sort(Comparator.comparing((String subject) -> !OURS.contains(subject))
                .thenComparingDouble(subject -> nanos(task.getSimpleName(), subject, 1)));
        return subjects;
    }

    String svg() {
        BarChart chart = new BarChart("Minting an id, as a string", "nanoseconds per id and thread");
        for (String subject : subjects(Minting.class)) {
            chart.add(
                    OURS.contains(subject) ? "semel " + subject : label(subject),
                    OURS.contains(subject),
                    IdsBench.THREADS.stream()
                            .map(threads -> nanos("Minting", subject, threads))
                            .toList());
        }
        return chart.svg(List.of("upper bar: one thread", "lower bar: two threads"));
    }

    private double nanos(String task, String subject, int threads) {
        return measured.median(new Series(task, subject, threads));
    }

    private static String label(String subject) {
        return LABELS.getOrDefault(subject, subject);
    }
}
