package dev.semel.server.cli;

import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "restore",
        description = "Makes a new store from a backup, and compares it.",
        footer = {"", "Example: ./semel restore backups/2026-11-15"})
final class RestoreCommand implements Runnable {

    @Parameters(paramLabel = "FOLDER", description = "The backup.")
    private Path backup;

    @Option(
            names = "--store",
            paramLabel = "URL",
            defaultValue = "rocksdb:./data",
            description = "The store to make: rocksdb:FOLDER, which must not be there yet; rocksdb:./data by default.")
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
