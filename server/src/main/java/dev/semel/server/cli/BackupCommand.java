package dev.semel.server.cli;

import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "backup",
        description =
                "Copies an embedded store into a new folder. The store may be in use. The copy is compared with the store.",
        footer = {"", "Example: ./semel backup backups/2026-11-15"})
final class BackupCommand implements Runnable {

    @Parameters(paramLabel = "FOLDER", description = "The folder of the backup. It must not exist.")
    private Path target;

    @Option(
            names = "--store",
            paramLabel = "URL",
            defaultValue = "rocksdb:./data",
            description = "The store: rocksdb:FOLDER. Default: ${DEFAULT-VALUE}.")
    private String store = "";

    @Spec
    private CommandSpec spec;

    private final Terminal terminal;

    BackupCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public void run() {
        StoreCopy.run(spec, terminal, StoreCopy.folder(spec, store), target);
    }
}
