package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.ServerFixture.Reply;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The metrics of a server at one time: the values of series by name and labels. */
public record Scrape(String text, Map<String, Double> series) {

    private static final Pattern SAMPLE = Pattern.compile("([a-z][a-z0-9_]*(?:\\{.*})?) (\\S+)");

    public static Scrape of(ServerFixture server) {
        Reply reply = server.asNobody().get("/metrics");
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.header("Content-Type")).matches("text/plain; ?version=0\\.0\\.4; ?charset=utf-8");
        return parse(reply.text());
    }

    /** Reads metrics in the Prometheus text format. */
    public static Scrape parse(String text) {
        Map<String, Double> series = new LinkedHashMap<>();
        text.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            Matcher sample = SAMPLE.matcher(line);
            assertThat(sample.matches()).as(line).isTrue();
            series.put(sample.group(1), Double.valueOf(sample.group(2)));
        });
        return new Scrape(text, series);
    }

    /** Returns the first scrape that meets a condition: a response may arrive before it is counted. */
    public static Scrape await(ServerFixture server, Predicate<Scrape> awaited) {
        long begun = System.nanoTime();
        while (true) {
            Scrape scrape = of(server);
            if (awaited.test(scrape) || System.nanoTime() - begun > 20_000_000_000L) {
                return scrape;
            }
        }
    }

    /** Returns the value of a series; -1 if it does not exist. */
    public double value(String name) {
        return series.getOrDefault(name, -1.0);
    }

    public double sum(String nameAndFirstLabels) {
        return series.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(nameAndFirstLabels))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }

    /** Returns the names of all metrics, including the parts of histograms. */
    public Set<String> names() {
        Set<String> names = new TreeSet<>();
        series.keySet().forEach(key -> names.add(key.replaceFirst("\\{.*", "")));
        return names;
    }
}
