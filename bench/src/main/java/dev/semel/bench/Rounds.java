package dev.semel.bench;

import dev.semel.bench.Measurements.Series;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import picocli.CommandLine.Option;

/**
 * How benchmarks are run: everything is measured once, then everything again. So what disturbs the machine for a while disturbs
 * all alike, and ratios stand where nanoseconds do not.
 */
public final class Rounds {

    private static final Effort REAL = new Effort(1, 10, 3, 600);
    private static final PrintStream PROGRESS = System.err;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "3",
            description = "How often everything is measured in turn; 3 unless said otherwise.")
    private int rounds;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            defaultValue = "${sys:semel.home:-.}/docs/benchmarks",
            description = "Where the table (${COMMAND-NAME}.md) and the plot (${COMMAND-NAME}.svg) go;"
                    + " docs/benchmarks unless said otherwise.")
    private @Nullable Path out;

    /**
     * How much is done to measure one series once.
     *
     * @param forks JVMs to start; with none, this one measures
     */
    public record Effort(int forks, int warmups, int iterations, long millis) {}

    private record Step(Task task, String subject, int threads) {}

    /** Measures, and writes the report. */
    public void report(String name, List<Task> tasks, Function<Measurements, Report> reporting) {
        Measurements measured = measure(tasks, Math.max(1, rounds), REAL);
        Path folder = Objects.requireNonNull(out);
        write(folder, name, reporting.apply(measured));
        PROGRESS.println("Wrote " + folder.resolve(name + ".md") + " and " + folder.resolve(name + ".svg"));
    }

    /** Measures each task as each of its subjects does it, round after round. */
    public static Measurements measure(List<Task> tasks, int rounds, Effort effort) {
        Measurements measured = new Measurements();
        List<Step> steps = steps(tasks);
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < steps.size(); i++) {
                Step step = steps.get(i);
                Series series = step.task.series(step.subject, step.threads);
                PROGRESS.printf(
                        "\r[%3d %%] round %d of %d: %s %s, threads: %d        ",
                        100 * (round * steps.size() + i) / (rounds * steps.size()),
                        round + 1,
                        rounds,
                        series.task(),
                        series.subject(),
                        series.threads());
                RunResult result = run(step, effort);
                Result<?> allocated = result.getSecondaryResults().get("gc.alloc.rate.norm");
                measured.add(
                        series,
                        result.getPrimaryResult().getScore(),
                        allocated == null ? Double.NaN : allocated.getScore());
            }
        }
        PROGRESS.println("\r[100 %]" + " ".repeat(60));
        return measured;
    }

    private static List<Step> steps(List<Task> tasks) {
        List<Step> steps = new ArrayList<>();
        for (Task task : tasks) {
            for (int threads : task.threads()) {
                for (String subject : task.subjects()) {
                    steps.add(new Step(task, subject, threads));
                }
            }
        }
        return steps;
    }

    private static RunResult run(Step step, Effort effort) {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("^" + step.task.benchmarks().getName() + "\\." + step.subject + "$")
                .threads(step.threads)
                .forks(effort.forks())
                .warmupIterations(effort.warmups())
                .warmupTime(TimeValue.milliseconds(effort.millis()))
                .measurementIterations(effort.iterations())
                .measurementTime(TimeValue.milliseconds(effort.millis()))
                .addProfiler(GCProfiler.class)
                .verbosity(VerboseMode.SILENT);
        step.task.parameters().forEach(options::param);
        try {
            return new Runner(options.build()).runSingle();
        } catch (RunnerException e) {
            throw new IllegalStateException("Could not measure " + step, e);
        }
    }

    /** Writes the page and the plot. */
    public static void write(Path folder, String name, Report report) {
        try {
            Files.createDirectories(folder);
            Files.writeString(folder.resolve(name + ".md"), report.markdown());
            Files.writeString(folder.resolve(name + ".svg"), report.svg());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
