package dev.semel.server.cli;

import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "backup",
        description = "Copies a store, which may be in use, into a new folder, and compares the copy.",
        footer = {"", "Example: ./semel backup backups/2026-11-15"})
final class BackupCommand implements Runnable {

    @Parameters(paramLabel = "FOLDER", description = "Where the backup goes; must not be there yet.")
    private Path target;

    @Option(
            names = "--store",
            paramLabel = "URL",
            defaultValue = "rocksdb:./data",
            description = "The store: rocksdb:FOLDER; rocksdb:./data by default.")
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
