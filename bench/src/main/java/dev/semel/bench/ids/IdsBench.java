package dev.semel.bench.ids;

import dev.semel.bench.Measurements;
import dev.semel.bench.Measurements.Series;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Ids against their peers: minted, checked and read, at one thread and at two. */
@Command(
        name = "ids",
        description = "Mints, checks and reads ids, ours and those of other libraries; takes about ten minutes.")
public final class IdsBench implements Runnable {

    static final List<Class<?>> TASKS = List.of(Minting.class, Checking.class, Reading.class);
    static final List<Integer> THREADS = List.of(1, 2);

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
            description = "Where the table (ids.md) and the plot (ids.svg) go; docs/benchmarks unless said otherwise.")
    private @Nullable Path out;

    private final PrintStream progress = System.err;

    /**
     * How much is done to measure one series once.
     *
     * @param forks JVMs to start; with none, this one measures
     */
    record Effort(int forks, int warmups, int iterations, long millis) {}

    @Override
    public void run() {
        Measurements measured = measure(Math.max(1, rounds), new Effort(1, 3, 3, 400));
        Path folder = Objects.requireNonNull(out);
        write(folder, measured);
        progress.println("Wrote " + folder.resolve("ids.md") + " and " + folder.resolve("ids.svg"));
    }

    /** Measures everything once, then everything again: what disturbs the machine for a while disturbs all alike. */
    Measurements measure(int rounds, Effort effort) {
        Measurements measured = new Measurements();
        List<Method> benchmarks =
                TASKS.stream().flatMap(task -> benchmarks(task).stream()).toList();
        int steps = rounds * THREADS.size() * benchmarks.size();
        int step = 0;
        for (int round = 0; round < rounds; round++) {
            for (int threads : THREADS) {
                for (Method benchmark : benchmarks) {
                    Series series = series(benchmark, threads);
                    progress.printf(
                            "\r[%3d %%] round %d of %d: %s %s, threads: %d        ",
                            100 * step++ / steps, round + 1, rounds, series.task(), series.subject(), threads);
                    RunResult result = run(benchmark, threads, effort);
                    Result<?> allocated = result.getSecondaryResults().get("gc.alloc.rate.norm");
                    measured.add(
                            series,
                            result.getPrimaryResult().getScore(),
                            allocated == null ? Double.NaN : allocated.getScore());
                }
            }
        }
        progress.println("\r[100 %]" + " ".repeat(60));
        return measured;
    }

    static List<Method> benchmarks(Class<?> task) {
        return Arrays.stream(task.getMethods())
                .filter(method -> method.isAnnotationPresent(Benchmark.class))
                .sorted(Comparator.comparing(Method::getName))
                .toList();
    }

    static Series series(Method benchmark, int threads) {
        return new Series(benchmark.getDeclaringClass().getSimpleName(), benchmark.getName(), threads);
    }

    private static RunResult run(Method benchmark, int threads, Effort effort) {
        Options options = new OptionsBuilder()
                .include("^" + benchmark.getDeclaringClass().getName() + "\\." + benchmark.getName() + "$")
                .threads(threads)
                .forks(effort.forks())
                .warmupIterations(effort.warmups())
                .warmupTime(TimeValue.milliseconds(effort.millis()))
                .measurementIterations(effort.iterations())
                .measurementTime(TimeValue.milliseconds(effort.millis()))
                .addProfiler(GCProfiler.class)
                .verbosity(VerboseMode.SILENT)
                .build();
        try {
            return new Runner(options).runSingle();
        } catch (RunnerException e) {
            throw new IllegalStateException("Could not measure " + benchmark, e);
        }
    }

    static void write(Path out, Measurements measured) {
        IdsReport report = new IdsReport(measured);
        try {
            Files.createDirectories(out);
            Files.writeString(out.resolve("ids.md"), report.markdown());
            Files.writeString(out.resolve("ids.svg"), report.svg());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
