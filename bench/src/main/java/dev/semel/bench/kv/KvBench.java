package dev.semel.bench.kv;

import dev.semel.bench.LineChart;
import dev.semel.bench.Output;
import dev.semel.bench.Page;
import dev.semel.bench.Program;
import dev.semel.kv.KvSimulation;
import dev.semel.kv.KvSimulation.Result;
import dev.semel.kv.KvSimulation.Settings;
import dev.semel.kv.KvTiming;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Simulates the allocation of short ids on a key-value store, with different settle times and occupancies. */
@Command(
        name = "kv",
        description = {
            "Simulates how many posts are overwritten on a key-value store, by settle time. The same seed writes the same page."
        })
public final class KvBench implements Runnable {

    private static final int WRITERS = 8;
    private static final Duration GAP = Duration.ofMillis(500);
    private static final List<Duration> STALENESS =
            List.of(Duration.ZERO, Duration.ofMillis(250), Duration.ofMillis(500));
    private static final List<Integer> SETTLE_MILLIS =
            IntStream.rangeClosed(0, 17).mapToObj(i -> 100 * i).toList();
    private static final List<Double> OCCUPANCY = List.of(0.5, 0.8, 0.9, 0.95, 0.99);

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--posts",
            paramLabel = "N",
            defaultValue = "100000",
            description = "Number of posts of each simulation. Default: ${DEFAULT-VALUE}.")
    private long posts;

    @Option(
            names = "--seed",
            paramLabel = "SEED",
            defaultValue = "1",
            description = "Selects the random numbers. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Mixin
    private final Output output = new Output();

    @Override
    public void run() {
        Program.requireAtLeast(1, "--posts", posts, spec);
        output.write(page(posts, seed));
    }

    static Page page(long posts, long seed) {
        List<List<Double>> overwrites = new ArrayList<>();
        for (Duration staleness : STALENESS) {
            overwrites.add(SETTLE_MILLIS.stream()
                    .map(millis -> perMillion(posts, seed, Duration.ofMillis(millis), staleness, false))
                    .toList());
        }
        double literal = perMillion(posts, seed, Duration.ZERO, Duration.ZERO, true);
        return Page.of("kv", markdown(posts, seed, overwrites, literal), chart(overwrites));
    }

    private static double perMillion(long posts, long seed, Duration settle, Duration staleness, boolean literal) {
        KvTiming timing = new KvTiming(settle, GAP, staleness);
        return 1e6
                * KvSimulation.run(new Settings(posts, WRITERS, timing, 0, seed, literal))
                        .overwritten()
                / posts;
    }

    private static String chart(List<List<Double>> overwrites) {
        LineChart chart = new LineChart(
                "Overwritten posts by settle time",
                "per million posts, less is better; settle time in seconds",
                SETTLE_MILLIS.stream()
                        .map(millis -> millis % 400 == 0 ? String.format(Locale.ROOT, "%.1f", millis / 1000.0) : "")
                        .toList());
        for (int i = 0; i < STALENESS.size(); i++) {
            chart.add("staleness " + STALENESS.get(i).toMillis() + " ms", overwrites.get(i));
        }
        return chart.svg();
    }

    private static String markdown(long posts, long seed, List<List<Double>> overwrites, double literal) {
        StringBuilder page = new StringBuilder(
                String.format(Locale.ROOT, """
                # Simulation: short ids on a key-value store

                This page shows how many posts are overwritten when short ids are [allocated on a key-value store](../guides/short-ids-kv.md).
                Written by `./semel bench kv --posts %d --seed %d`, which drives the allocator in virtual time. The same command writes the
                same page on every machine.

                ## Overwrites

                ![Overwritten posts by settle time](kv.svg)

                %d writers submit %,d posts with a gap of %d ms, and no id is taken at the start. The figures are overwritten posts per million.
                The times in bold satisfy the condition *settle > gap + 2 × staleness*. The steps of the Textpile specification as they are
                written overwrite %,.0f posts per million. If the settle time is shorter than the staleness, writers do not see their own
                claims: requests fail, and there are fewer overwrites.

                """, posts, seed, WRITERS, posts, GAP.toMillis(), literal));
        page.append("| settle time |");
        STALENESS.forEach(staleness -> page.append(" staleness " + staleness.toMillis() + " ms |"));
        page.append("\n|---|").append("---|".repeat(STALENESS.size())).append('\n');
        for (int step = 0; step < SETTLE_MILLIS.size(); step++) {
            page.append("| ").append(SETTLE_MILLIS.get(step)).append(" ms |");
            for (int i = 0; i < STALENESS.size(); i++) {
                Duration settle = Duration.ofMillis(SETTLE_MILLIS.get(step));
                String bold = new KvTiming(settle, GAP, STALENESS.get(i)).isSafe() ? "**" : "";
                page.append(String.format(
                        Locale.ROOT, " %s%,.0f%s |", bold, overwrites.get(i).get(step), bold));
            }
            page.append('\n');
        }
        page.append("""

                ## Failures

                If a share *p* of the two- and three-letter ids is taken, all of the 20 ids that a request tries are taken with probability
                *p*²⁰. The request gets a 503.

                | ids taken | by the formula | simulated | ids tried per post |
                |---|---|---|---|
                """);
        for (double occupancy : OCCUPANCY) {
            Settings settings = new Settings(posts, WRITERS, KvTiming.DEFAULTS, occupancy, seed, false);
            Result result = KvSimulation.run(settings);
            page.append(String.format(
                    Locale.ROOT,
                    "| %.0f %% | %.4f %% | %.4f %% | %.1f |%n",
                    100 * occupancy,
                    100 * settings.expectedFailureRate(),
                    100.0 * result.failed() / settings.posts(),
                    (double) result.attempts() / settings.posts()));
        }
        return page.toString();
    }
}
