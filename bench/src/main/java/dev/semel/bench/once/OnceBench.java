package dev.semel.bench.once;

import dev.semel.bench.Output;
import dev.semel.bench.Rounds;
import dev.semel.bench.RoundsOption;
import dev.semel.bench.Task;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** What it costs to run an operation once: calls, their parts, and fingerprints beside peers. */
@Command(
        name = "once",
        description = "Measures operations on the memory store, and fingerprints. Takes about 2 minutes per round.")
public final class OnceBench implements Runnable {

    static final Task CALLING = Task.of(Calling.class, 1, 2);
    static final Task PARTS = Task.of(Parts.class, 1);
    static final Task SMALL = Task.of(Fingerprinting.class, 1).with("size", "100");
    static final Task MIDDLE = Task.of(Fingerprinting.class, 1).with("size", "1024");
    static final Task LARGE = Task.of(Fingerprinting.class, 1).with("size", "16384");
    static final List<Task> TASKS = List.of(CALLING, PARTS, SMALL, MIDDLE, LARGE);

    @Mixin
    private final RoundsOption rounds = new RoundsOption(3);

    @Mixin
    private final Output output = new Output();

    @Override
    public void run() {
        output.write(new OnceReport(Rounds.measure(TASKS, rounds.rounds())).page());
    }
}
