package dev.semel.bench;

import java.util.List;
import java.util.Locale;

/** Reports what was measured: a page with every figure, and a plot. */
public abstract class Report {

    private final String name;
    private final Measurements measured;

    /** A report of a benchmark. */
    protected Report(String name, Measurements measured) {
        this.name = name;
        this.measured = measured;
    }

    /** The page and its plot. */
    public final Page page() {
        return Page.of(name, markdown(), svg());
    }

    /** The text. */
    protected abstract String markdown();

    /** The plot. */
    protected abstract String svg();

    /** What readers know a subject by. */
    protected abstract String label(String subject);

    /** What was measured, and how. */
    protected final String opening() {
        return "Written by `./semel bench " + name + "`. JDK "
                + Runtime.version().feature() + ", "
                + Runtime.getRuntime().availableProcessors()
                + " processors. Everything is measured in turn, round by round, each time in a new JVM. Figures are"
                + " medians over the rounds. Compare ratios, not nanoseconds: machines differ and are noisy.\n";
    }

    protected final boolean has(Task task, String subject, int threads) {
        return measured.has(task.series(subject, threads));
    }

    /** Nanoseconds of one operation. */
    protected final double nanos(Task task, String subject, int threads) {
        return measured.median(task.series(subject, threads));
    }

    /** Throughput of two threads, divided by that of one. */
    protected final double gain(Task task, String subject) {
        return 2 * nanos(task, subject, 1) / nanos(task, subject, 2);
    }

    /** Every figure of a task, for one thread and, where it was measured, for two. */
    protected final String figures(Task task, List<String> subjects) {
        boolean two = task.threads().contains(2);
        StringBuilder table = new StringBuilder("| | one thread, ns | spread |");
        table.append(
                two
                        ? " two threads, ns | spread | bytes |\n|---|---|---|---|---|---|\n"
                        : " bytes |\n|---|---|---|---|\n");
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
