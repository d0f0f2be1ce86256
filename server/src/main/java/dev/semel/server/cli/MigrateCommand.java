package dev.semel.server.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
        name = "migrate",
        description = "Migrates documents with legacy keys to composite keys, and back.",
        subcommands = {
            MigratePlanCommand.class,
            MigrateRunCommand.class,
            MigrateVerifyCommand.class,
            MigrateRollbackCommand.class,
            MigrateStatusCommand.class,
            HelpCommand.class
        },
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Example: ./semel migrate plan --from old.ndjson --to rocksdb:./data",
            "         ./semel migrate run --from old.ndjson --to rocksdb:./data",
            "         ./semel migrate verify --to rocksdb:./data"
        })
final class MigrateCommand implements Runnable {

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new UsageException(spec, "COMMAND is missing: plan, run, verify, rollback or status.");
    }
}
