package dev.semel.bench.ids;

import dev.semel.bench.Rounds;
import dev.semel.bench.Task;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Ids against their peers: minted, checked and read, at one thread and at two. */
@Command(
        name = "ids",
        description =
                "Mints, checks and reads ids, ours and those of other libraries; takes about a quarter of an hour.")
public final class IdsBench implements Runnable {

    static final Task MINTING = Task.of(Minting.class, 1, 2);
    static final Task CHECKING = Task.of(Checking.class, 1, 2);
    static final Task READING = Task.of(Reading.class, 1, 2);
    static final List<Task> TASKS = List.of(MINTING, CHECKING, READING);

    @Mixin
    private final Rounds rounds = new Rounds();

    @Override
    public void run() {
        rounds.report("ids", TASKS, IdsReport::new);
    }
}
