package dev.semel.bench;

import dev.semel.bench.Measurements.Series;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.annotations.Benchmark;

/**
 * What is measured: one thing, as each method of a class of benchmarks does it.
 *
 * @param benchmarks a method for each who does it
 * @param parameters values that JMH hands to the states of the benchmarks, by their names
 * @param threads how many do it at once: each of these numbers in turn
 */
public record Task(Class<?> benchmarks, Map<String, String> parameters, List<Integer> threads) {

    /** A task without parameters. */
    public static Task of(Class<?> benchmarks, Integer... threads) {
        return new Task(benchmarks, Map.of(), List.of(threads));
    }

    /** The same with one parameter. */
    public Task with(String parameter, String value) {
        return new Task(benchmarks, Map.of(parameter, value), threads);
    }

    /** What it is called. */
    public String name() {
        String values = String.join(" ", parameters.values());
        return benchmarks.getSimpleName() + (values.isEmpty() ? "" : " " + values);
    }

    /** Who does it, in the order of their names. */
    public List<String> subjects() {
        return Arrays.stream(benchmarks.getMethods())
                .filter(method -> method.isAnnotationPresent(Benchmark.class))
                .map(Method::getName)
                .sorted()
                .toList();
    }

    /** The task as one of them does it. */
    public Series series(String subject, int threads) {
        return new Series(name(), subject, threads);
    }
}
