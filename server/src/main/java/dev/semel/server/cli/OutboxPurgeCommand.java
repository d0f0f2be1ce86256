package dev.semel.server.cli;

import dev.semel.server.settings.ServerSettings;
import dev.semel.server.settings.SettingException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "purge",
        description = {
            "Deletes confirmed entries.",
            "Without this command, they are kept for seven days, or as long as 'run --keep' sets."
        },
        footer = {"", "Example: ./semel outbox purge --older-than 1d --store rocksdb:queue"})
final class OutboxPurgeCommand implements Runnable {

    @Mixin
    private OutboxOptions options = new OutboxOptions();

    @Option(
            names = "--older-than",
            paramLabel = "TIME",
            description = "Only entries that were confirmed this long ago, such as 1d.")
    private @Nullable String olderThan;

    @Spec
    private CommandSpec spec;

    private final Terminal terminal;

    OutboxPurgeCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public void run() {
        Duration age = age();
        try (OutboxOptions.Opened opened = options.open()) {
            terminal.println("Purged " + EntryOutput.count(opened.outbox().purge(age)));
        }
    }

    private Duration age() {
        try {
            return olderThan == null ? Duration.ZERO : ServerSettings.time("--older-than", olderThan);
        } catch (SettingException e) {
            throw UsageException.of(spec, e);
        }
    }
}
