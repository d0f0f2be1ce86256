package dev.semel.bench;

import dev.semel.bench.Measurements.Series;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs benchmarks with JMH in rounds: everything is measured once, then everything again. A disturbance of the machine affects all
 * benchmarks, so ratios are stable even if nanoseconds are not.
 */
public final class Rounds {

    private static final Effort REAL = new Effort(1, 10, 3, 600);

    /**
     * The length of one measurement.
     *
     * @param forks number of new JVMs; 0 to measure in this one
     */
    public record Effort(int forks, int warmups, int iterations, long millis) {}

    private record Step(Task task, String subject, int threads) {}

    private Rounds() {}

    /** Measures each task, for long enough that figures are stable. */
    public static Measurements measure(List<Task> tasks, int rounds) {
        return measure(tasks, rounds, REAL);
    }

    /** Measures each subject of each task in each round. */
    public static Measurements measure(List<Task> tasks, int rounds, Effort effort) {
        Measurements measured = new Measurements();
        List<Step> steps = steps(tasks);
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < steps.size(); i++) {
                Step step = steps.get(i);
                Series series = step.task.series(step.subject, step.threads);
                Progress.show(
                        "[%3d %%] round %d of %d: %s %s, threads: %d",
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
        Progress.print("[100 %]");
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
}
