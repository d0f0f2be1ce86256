package dev.semel.server.cli;

import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "restore",
        description = "Creates an embedded store from a backup. The store is compared with the backup.",
        footer = {"", "Example: ./semel restore backups/2026-11-15"})
final class RestoreCommand implements Runnable {

    @Parameters(paramLabel = "FOLDER", description = "The folder of the backup.")
    private Path backup;

    @Option(
            names = "--store",
            paramLabel = "URL",
            defaultValue = "rocksdb:./data",
            description = "The store: rocksdb:FOLDER. The folder must not exist. Default: ${DEFAULT-VALUE}.")
    private String store = "";

    @Spec
    private CommandSpec spec;

    private final Terminal terminal;

    RestoreCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public void run() {
        StoreCopy.run(spec, terminal, backup, StoreCopy.folder(spec, store));
    }
}
