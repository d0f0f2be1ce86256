package dev.semel.server.cli;

import dev.semel.server.Storage;
import dev.semel.server.migration.Migration;
import dev.semel.server.migration.Migration.Verification;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "verify",
        description = {
            "Compares the documents that were written with the journal of the migration.",
            "The exit status is 0 if each is what was written. Documents that users have changed since are listed, and"
                    + " are no failure."
        },
        footer = {"", "Example: ./semel migrate verify --to rocksdb:./data"})
final class MigrateVerifyCommand implements Callable<Integer> {

    @Mixin
    private MigrateTarget target = new MigrateTarget();

    @Option(names = "--json", description = "Prints the report as one JSON object.")
    private boolean json;

    @Spec
    private CommandSpec spec;

    private final Terminal terminal;

    MigrateVerifyCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        try (Storage storage = target.openExisting(target.settings());
                MigrationOutput output = new MigrationOutput(spec, terminal, json)) {
            Verification result = new Migration(storage.store(), target.time()).verify(output);
            if (json) {
                output.end("differences", generator -> {
                    generator.writeNumberProperty("written", result.written());
                    generator.writeNumberProperty("changed", result.changed());
                    generator.writeNumberProperty("failures", result.failures());
                });
            } else {
                output.println(String.format(
                        Locale.ROOT,
                        "%,d documents were written: %,d match the journal, %,d were changed since. %,d failures",
                        result.written(),
                        result.matching(),
                        result.changed(),
                        result.failures()));
            }
            return result.failures() == 0 ? ExitCode.OK : ExitCode.SOFTWARE;
        }
    }
}
