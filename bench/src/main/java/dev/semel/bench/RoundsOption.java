package dev.semel.bench;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Option of benchmarks whose contenders take turns: the number of rounds. */
public final class RoundsOption {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "Number of rounds. Each measures everything once. Default: ${DEFAULT-VALUE}.")
    private int rounds;

    /** Creates the option with a default. */
    public RoundsOption(int rounds) {
        this.rounds = rounds;
    }

    /** Returns the number of rounds. */
    public int rounds() {
        Program.requireAtLeast(1, "--rounds", rounds, command);
        return rounds;
    }
}
