package dev.semel.bench.ids;

import dev.semel.bench.Aims;
import dev.semel.bench.BarChart;
import dev.semel.bench.Measurements;
import dev.semel.bench.Report;
import dev.semel.bench.Task;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The page of the benchmark of ids: ratios to peers, all figures, and a plot. */
final class IdsReport extends Report {

    private static final List<String> OURS =
            List.of("tid62", "uuid4", "uuid4s", "uuid464", "uuid7", "ulid", "ksuid", "nanoid", "typeid", "tsid");

    /** Peers that use fresh randomness for each id. */
    private static final List<String> FRESH =
            List.of("jdkUuid4", "uuidCreator4", "uuidCreator7", "ulidCreator", "ksuidCreator", "jnanoid");

    /** Peers that increment the last id, and use little or no randomness. */
    private static final List<String> MONOTONIC =
            List.of("javaUuidGenerator7", "ulidCreatorMonotonic", "tsidCreator", "typeidJava", "uuidCreator7");

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
            Map.entry("typeidJava", "typeid-java 0.2.0"));

    IdsReport(Measurements measured) {
        super("ids", measured);
    }

    @Override
    protected String markdown() {
        StringBuilder page = new StringBuilder();
        page.append("# Benchmark: ids\n\nThis page compares the speed of the id schemes with other Java libraries. ");
        page.append(opening()).append("\n![Nanoseconds to mint an id](ids.svg)\n\n## Ratios\n\n");
        page.append(
                "Each row compares a scheme with its fastest peer, which is named. Above 1, Semel is faster. When checking and"
                        + " reading, the JDK, uuid-creator's GUID and its `fromString` do less: they accept upper case and every"
                        + " version of UUID.\n\n");
        page.append("| what | one thread | two threads |\n|---|---|---|\n");
        page.append(ratio(IdsBench.MINTING, "tid62", FRESH, "peers with fresh randomness", 4, 2));
        page.append(ratio(IdsBench.MINTING, "tid62", MONOTONIC, "monotonic peers", 1, 2));
        page.append(ratio(IdsBench.MINTING, "uuid4", List.of("jdkUuid4", "uuidCreator4"), "other v4", 1, 1));
        page.append(ratio(IdsBench.MINTING, "uuid7", List.of("uuidCreator7", "javaUuidGenerator7"), "other v7", 1, 1));
        page.append(
                ratio(IdsBench.MINTING, "ulid", List.of("ulidCreator", "ulidCreatorMonotonic"), "other ULIDs", 1, 1));
        page.append(ratio(IdsBench.MINTING, "ksuid", List.of("ksuidCreator"), "other KSUIDs", 1, 1));
        page.append(ratio(IdsBench.MINTING, "nanoid", List.of("jnanoid"), "other Nano IDs", 1, 1));
        page.append(ratio(IdsBench.MINTING, "typeid", List.of("typeidJava"), "other TypeIDs", 1, 1));
        page.append(ratio(IdsBench.MINTING, "tsid", List.of("tsidCreator"), "other TSIDs", 1, 1));
        for (Task task : List.of(IdsBench.CHECKING, IdsBench.READING)) {
            page.append(
                    ratio(task, "uuid4", List.of("jdkUuid4", "uuidCreator4", "uuidCreatorGuid4"), "other v4", 1, 1));
            page.append(ratio(task, "uuid7", List.of("uuidCreator7"), "other v7", 1, 1));
            page.append(ratio(task, "ulid", List.of("ulidCreator"), "other ULIDs", 1, 1));
            page.append(ratio(task, "ksuid", List.of("ksuidCreator"), "other KSUIDs", 1, 1));
            page.append(ratio(task, "tsid", List.of("tsidCreator"), "other TSIDs", 1, 1));
        }
        page.append(ratio(IdsBench.READING, "typeid", List.of("typeidJava"), "other TypeIDs", 1, 1));
        page.append(String.format(
                Locale.ROOT,
                "%nTwo threads together mint %.2f × as many `tid62` per second as one.%n",
                gain(IdsBench.MINTING, "tid62")));
        for (Task task : IdsBench.TASKS) {
            page.append("\n## ").append(task.name()).append("\n\n").append(figures(task, subjects(task)));
        }
        return page.toString();
    }

    /** @param aims for one thread, and for two */
    private String ratio(Task task, String ours, List<String> peers, String against, double... aims) {
        StringBuilder row = new StringBuilder(
                "| " + task.name().toLowerCase(Locale.ROOT) + " `" + ours + "`, relative to " + against + " |");
        for (int threads : task.threads()) {
            String best = peers.stream()
                    .filter(peer -> has(task, peer, threads))
                    .min(Comparator.comparingDouble(peer -> nanos(task, peer, threads)))
                    .orElseThrow();
            double ratio = nanos(task, best, threads) / nanos(task, ours, threads);
            row.append(" " + Aims.minimum(ratio, " ×", aims[threads - 1]) + ", " + label(best) + " |");
        }
        return row + "\n";
    }

    /** Returns the benchmarks of a task: ours first, then by speed. */
    private List<String> subjects(Task task) {
        return task.subjects().stream()
                .sorted(Comparator.comparing((String subject) -> !OURS.contains(subject))
                        .thenComparingDouble(subject -> nanos(task, subject, 1)))
                .toList();
    }

    @Override
    protected String svg() {
        BarChart chart = new BarChart("Minting an id, as a string", "nanoseconds per id and thread; less is better");
        Task minting = IdsBench.MINTING;
        for (String subject : subjects(minting)) {
            boolean ours = OURS.contains(subject);
            chart.add(
                    ours ? "semel " + subject : label(subject),
                    ours,
                    minting.threads().stream()
                            .map(threads -> nanos(minting, subject, threads))
                            .toList());
        }
        return chart.svg(List.of("upper bar: one thread", "lower bar: two threads"));
    }

    @Override
    protected String label(String subject) {
        return OURS.contains(subject) ? "**" + subject + "**" : LABELS.getOrDefault(subject, subject);
    }
}
