package dev.semel.server.cli;

import dev.semel.server.migration.Migration;
import dev.semel.server.migration.MigrationOptions;
import dev.semel.server.migration.MigrationState;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "run",
        description = {
            "Writes documents under composite keys.",
            "If it was killed, the same command continues. The exit status is 1 if something was left out, which is listed"
                    + " with its reason."
        },
        footer = {
            "",
            "A line: {\"collection\", \"key\", \"version\"?, \"createdAt\"?, \"updatedAt\"?, \"data\"}",
            "",
            "Example: ./semel migrate run --from old.ndjson --to rocksdb:./data --merge newest"
        })
final class MigrateRunCommand implements Callable<Integer> {

    @Mixin
    private MigrateOptions options = new MigrateOptions();

    @Option(names = "--json", description = "Prints the report as one JSON object.")
    private boolean json;

    @Spec
    private CommandSpec spec;

    private final Terminal terminal;

    MigrateRunCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        MigrationOptions how = options.options();
        try (MigrationOutput output = new MigrationOutput(spec, terminal, json)) {
            MigrationState complete = options.run(
                    terminal.in(),
                    (source, target) -> new Migration(target, options.target().time()).run(source, how, output));
            output.report(complete, false);
            return complete.total().skipped() == 0 ? ExitCode.OK : ExitCode.SOFTWARE;
        }
    }
}
