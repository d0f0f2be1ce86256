package dev.semel.bench;

import dev.semel.bench.Measurements.Series;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.annotations.Benchmark;

/**
 * A task that is measured for several libraries.
 *
 * @param benchmarks class with a benchmark method per library
 * @param parameters values of JMH parameters, by name
 * @param threads numbers of threads, measured one after another
 */
public record Task(Class<?> benchmarks, Map<String, String> parameters, List<Integer> threads) {

    /** Returns a task without parameters. */
    public static Task of(Class<?> benchmarks, Integer... threads) {
        return new Task(benchmarks, Map.of(), List.of(threads));
    }

    /** Returns this task with one parameter. */
    public Task with(String parameter, String value) {
        return new Task(benchmarks, Map.of(parameter, value), threads);
    }

    /** Returns the name of the task in reports. */
    public String name() {
        String values = String.join(" ", parameters.values());
        return benchmarks.getSimpleName() + (values.isEmpty() ? "" : " " + values);
    }

    /** Returns the names of the benchmark methods in alphabetical order. */
    public List<String> subjects() {
        return Arrays.stream(benchmarks.getMethods())
                .filter(method -> method.isAnnotationPresent(Benchmark.class))
                .map(Method::getName)
                .sorted()
                .toList();
    }

    /** Returns the series of one benchmark method. */
    public Series series(String subject, int threads) {
        return new Series(name(), subject, threads);
    }
}
