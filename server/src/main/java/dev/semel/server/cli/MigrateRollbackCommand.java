package dev.semel.server.cli;

import dev.semel.server.Storage;
import dev.semel.server.migration.Migration;
import dev.semel.server.migration.Migration.Rollback;
import dev.semel.server.migration.MigrationState;
import dev.semel.server.migration.MigrationState.Phase;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "rollback",
        description = {
            "Deletes what a migration has written, so that the store has the documents of before.",
            "If documents were changed since, it lists them, changes nothing, and the exit status is 1."
        },
        footer = {"", "Example: ./semel migrate rollback --to rocksdb:./data"})
final class MigrateRollbackCommand implements Callable<Integer> {

    @Mixin
    private MigrateTarget target = new MigrateTarget();

    @Option(
            names = "--migration",
            paramLabel = "N",
            defaultValue = "0",
            description = "The number of the migration, if it is not the latest.")
    private int number;

    @Option(names = "--json", description = "Prints the report as one JSON object.")
    private boolean json;

    @Spec
    private CommandSpec spec;

    private final Terminal terminal;

    MigrateRollbackCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (number < 0) {
            throw new UsageException(spec, "--migration must be the number of a migration, not '" + number + "'.");
        }
        try (Storage storage = target.openExisting(target.settings());
                MigrationOutput output = new MigrationOutput(spec, terminal, json)) {
            Rollback result = new Migration(storage.store(), target.time()).rollback(number, output);
            MigrationState state = result.state();
            if (json) {
                output.end("differences", generator -> {
                    generator.writeNumberProperty("migration", state.number());
                    generator.writeStringProperty("phase", state.phase().toString());
                    generator.writeNumberProperty("changed", result.changed());
                });
            } else if (result.changed() == 0) {
                output.println(
                        "Migration " + state.number() + " of " + state.source().name() + " is rolled back");
            }
            if (result.changed() > 0) {
                throw new FailureException("Migration " + state.number() + " is not rolled back: "
                        + String.format(Locale.ROOT, "%,d", result.changed())
                        + " of its documents were changed since"
                        + (state.phase() == Phase.ROLLING_BACK
                                ? ". All others were deleted"
                                : ". Nothing was changed"));
            }
            return ExitCode.OK;
        }
    }
}
