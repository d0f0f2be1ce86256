package dev.semel.server.cli;

import dev.semel.server.Storage;
import dev.semel.server.migration.Migration;
import dev.semel.server.migration.MigrationState;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "status",
        description = {"Shows the migrations of a store: how far they are, and what they have read and written."},
        footer = {"", "Example: ./semel migrate status --to rocksdb:./data"})
final class MigrateStatusCommand implements Callable<Integer> {

    @Mixin
    private MigrateTarget target = new MigrateTarget();

    @Option(names = "--json", description = "Prints the report as one JSON object per line.")
    private boolean json;

    private final Terminal terminal;

    MigrateStatusCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        try (Storage storage = target.openExisting(target.settings())) {
            List<MigrationState> migrations = new Migration(storage.store(), target.time()).status();
            migrations.forEach(state -> MigrationOutput.printState(terminal, state, json));
            if (migrations.isEmpty() && !json) {
                terminal.println("There is no migration in this store");
            }
            return ExitCode.OK;
        }
    }
}
