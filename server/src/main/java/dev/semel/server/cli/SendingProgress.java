package dev.semel.server.cli;

import dev.semel.outbox.OutboxEntry;
import dev.semel.outbox.OutboxListener;
import dev.semel.outbox.Reason;
import java.time.Duration;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/** Counts what a processor does, and shows it. */
final class SendingProgress implements OutboxListener {

    /** Lines that wait to be printed, if entries fail faster than that. The entries stay in the outbox, so no information is lost. */
    private static final int MOST_LINES = 10_000;

    private static final double NANOS = 1e9;

    private final Terminal terminal;
    private final StatusLine line;
    private final boolean printsFailures;
    private final LongAdder confirmed = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder retries = new LongAdder();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final LongAdder queuedFailures = new LongAdder();
    private volatile String lastError = "";
    private long lastConfirmed;
    private long lastNanos = System.nanoTime();

    /** @param printsFailures whether a line is printed for each entry that fails */
    SendingProgress(Terminal terminal, StatusLine line, boolean printsFailures) {
        this.terminal = terminal;
        this.line = line;
        this.printsFailures = printsFailures;
    }

    @Override
    public void confirmed(OutboxEntry entry, Duration time) {
        confirmed.increment();
        lastError = "";
    }

    @Override
    public void retry(OutboxEntry entry, Reason reason) {
        retries.increment();
        lastError = error(entry, reason);
    }

    @Override
    public void failed(OutboxEntry entry, Reason reason) {
        failed.increment();
        if (printsFailures && queuedFailures.sum() < MOST_LINES) {
            queuedFailures.increment();
            failures.add("failed " + entry.id() + " " + entry.method() + " " + entry.endpoint() + ": "
                    + error(entry, reason));
        }
    }

    private static String error(OutboxEntry entry, Reason reason) {
        String error = entry.lastError();
        return error == null ? reason.toString() : error;
    }

    long confirmed() {
        return confirmed.sum();
    }

    /** Prints what has happened since the last call. It is called by one thread. */
    void show() {
        printFailures();
        line.show(this::text);
    }

    private void printFailures() {
        String failure = failures.poll();
        if (failure == null) {
            return;
        }
        line.clear();
        while (failure != null) {
            queuedFailures.decrement();
            terminal.println(FailureText.onOneLine(failure));
            failure = failures.poll();
        }
        terminal.flush();
    }

    /** Prints the failures that are left, and removes the line. */
    void end() {
        printFailures();
        line.clear();
    }

    private String text() {
        long now = System.nanoTime();
        long count = confirmed.sum();
        double rate = (count - lastConfirmed) * NANOS / Math.max(1, now - lastNanos);
        lastConfirmed = count;
        lastNanos = now;
        String text = String.format(Locale.ROOT, "%,d confirmed, %,.0f/s", count, rate);
        if (failed.sum() > 0) {
            text += String.format(Locale.ROOT, ", %,d failed", failed.sum());
        }
        if (retries.sum() > 0) {
            text += String.format(Locale.ROOT, ", %,d retries", retries.sum());
        }
        return lastError.isEmpty() ? text : text + ": " + lastError;
    }
}
