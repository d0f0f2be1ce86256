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
        name = "plan",
        description = {
            "Reports what 'migrate run' would do, and writes nothing.",
            "It needs temporary disk space of about twice the size of the documents. The exit status is 1 if something"
                    + " would be left out."
        },
        footer = {
            "",
            "A line: {\"collection\", \"key\", \"version\"?, \"createdAt\"?, \"updatedAt\"?, \"data\"}",
            "",
            "Example: ./semel migrate plan --from old.ndjson --to rocksdb:./data"
        })
final class MigratePlanCommand implements Callable<Integer> {

    @Mixin
    private MigrateOptions options = new MigrateOptions();

    @Option(names = "--json", description = "Prints the report as one JSON object.")
    private boolean json;

    @Spec
    private CommandSpec spec;

    private final Terminal terminal;

    MigratePlanCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        MigrationOptions how = options.options();
        try (MigrationOutput output = new MigrationOutput(spec, terminal, json)) {
            MigrationState planned = options.plan(
                    terminal.in(),
                    (source, target) -> MigrateOptions.withScratch(
                            options.target(),
                            scratch ->
                                    new Migration(target, options.target().time()).plan(source, how, scratch, output)));
            output.report(planned, true);
            return planned.total().skipped() == 0 ? ExitCode.OK : ExitCode.SOFTWARE;
        }
    }
}
