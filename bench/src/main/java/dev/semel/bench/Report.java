package dev.semel.bench;

import java.util.List;
import java.util.Locale;

/** The page of a benchmark that runs with JMH, and its plot. */
public abstract class Report {

    private final String name;
    private final Measurements measured;

    /** @param name name of the benchmark */
    protected Report(String name, Measurements measured) {
        this.name = name;
        this.measured = measured;
    }

    /** Returns the page with its plot. */
    public final Page page() {
        return Page.of(name, markdown(), svg());
    }

    /** Returns the text of the page. */
    protected abstract String markdown();

    /** Returns the plot as SVG. */
    protected abstract String svg();

    /** Returns the name of a subject for readers. */
    protected abstract String label(String subject);

    /** Returns the first paragraph: how the figures were measured. */
    protected final String opening() {
        return "Written by `./semel bench " + name + "` on JDK "
                + Runtime.version().feature() + " and "
                + Runtime.getRuntime().availableProcessors()
                + " processors. Each measurement runs in a new JVM. [How to read these pages](README.md).\n";
    }

    protected final boolean has(Task task, String subject, int threads) {
        return measured.has(task.series(subject, threads));
    }

    /** Returns the nanoseconds of one operation. */
    protected final double nanos(Task task, String subject, int threads) {
        return measured.median(task.series(subject, threads));
    }

    /** Returns the throughput of two threads, divided by that of one. */
    protected final double gain(Task task, String subject) {
        return 2 * nanos(task, subject, 1) / nanos(task, subject, 2);
    }

    /** Returns a table of all figures of a task, for one thread and, if measured, for two. */
    protected final String figures(Task task, List<String> subjects) {
        boolean two = task.threads().contains(2);
        StringBuilder table = new StringBuilder("| | one thread, ns | range |");
        table.append(
                two
                        ? " two threads, ns | range | bytes allocated |\n|---|---|---|---|---|---|\n"
                        : " bytes allocated |\n|---|---|---|---|\n");
        for (String subject : subjects) {
            table.append("| ").append(label(subject));
            for (int threads : task.threads()) {
                table.append(String.format(
                        Locale.ROOT,
                        " | %.1f | %s",
                        nanos(task, subject, threads),
                        measured.spread(task.series(subject, threads))));
            }
            table.append(String.format(Locale.ROOT, " | %.0f |%n", measured.bytes(task.series(subject, 1))));
        }
        return table.toString();
    }
}
