package dev.semel.bench.ids;

import dev.semel.bench.Output;
import dev.semel.bench.Rounds;
import dev.semel.bench.RoundsOption;
import dev.semel.bench.Task;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Measures minting, checking and reading ids next to peers, with one thread and with two. */
@Command(name = "ids", description = "Measures ids next to other libraries. Takes about 5 minutes per round.")
public final class IdsBench implements Runnable {

    static final Task MINTING = Task.of(Minting.class, 1, 2);
    static final Task CHECKING = Task.of(Checking.class, 1, 2);
    static final Task READING = Task.of(Reading.class, 1, 2);
    static final List<Task> TASKS = List.of(MINTING, CHECKING, READING);

    @Mixin
    private final RoundsOption rounds = new RoundsOption(3);

    @Mixin
    private final Output output = new Output();

    @Override
    public void run() {
        output.write(new IdsReport(Rounds.measure(TASKS, rounds.rounds())).page());
    }
}
