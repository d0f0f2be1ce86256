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
 * @param benchmarks class with a method for each of them
 * @param parameters values of JMH parameters, by name
 * @param threads numbers of threads, measured one after another
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

    /** Its name in reports. */
    public String name() {
        String values = String.join(" ", parameters.values());
        return benchmarks.getSimpleName() + (values.isEmpty() ? "" : " " + values);
    }

    /** Names of the benchmarks, in alphabetical order. */
    public List<String> subjects() {
        return Arrays.stream(benchmarks.getMethods())
                .filter(method -> method.isAnnotationPresent(Benchmark.class))
                .map(Method::getName)
                .sorted()
                .toList();
    }

    /** The measurements of one benchmark. */
    public Series series(String subject, int threads) {
        return new Series(name(), subject, threads);
    }
}
