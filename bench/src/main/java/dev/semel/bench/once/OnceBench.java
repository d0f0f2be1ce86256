package dev.semel.bench.once;

import dev.semel.bench.Rounds;
import dev.semel.bench.Task;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** What it costs to run an operation once: calls, what they are made of, and fingerprints next to peers. */
@Command(
        name = "once",
        description = "Runs operations once over the memory store, and takes fingerprints; takes about six minutes.")
public final class OnceBench implements Runnable {

    static final Task CALLING = Task.of(Calling.class, 1, 2);
    static final Task PARTS = Task.of(Parts.class, 1);
    static final Task SMALL = Task.of(Fingerprinting.class, 1).with("size", "100");
    static final Task MIDDLE = Task.of(Fingerprinting.class, 1).with("size", "1024");
    static final Task LARGE = Task.of(Fingerprinting.class, 1).with("size", "16384");
    static final List<Task> TASKS = List.of(CALLING, PARTS, SMALL, MIDDLE, LARGE);

    @Mixin
    private final Rounds rounds = new Rounds();

    @Override
    public void run() {
        rounds.report("once", TASKS, OnceReport::new);
    }
}
