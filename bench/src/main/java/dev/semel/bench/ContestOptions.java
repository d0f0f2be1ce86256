package dev.semel.bench;

import dev.semel.bench.Contest.Effort;
import java.time.Duration;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options of benchmarks that measure stores of increasing size. */
public final class ContestOptions {

    private static final Duration SLICE = Duration.ofMillis(700);
    private static final long SMALL_KEYS = 10_000;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Mixin
    private final RoundsOption rounds = new RoundsOption(7);

    @Option(
            names = "--keys",
            paramLabel = "N",
            defaultValue = "10000000",
            description = "Number of keys in the largest store. Default: ${DEFAULT-VALUE}.")
    private long keys;

    /** Returns the size of the benchmark. */
    public Scale scale() {
        Program.requireAtLeast(Payments.PER_CUSTOMER, "--keys", keys, command);
        return new Scale(new Effort(rounds.rounds(), SLICE), keys, SMALL_KEYS);
    }
}
