package dev.semel.server.cli;

import dev.semel.outbox.OutboxEntry;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "show",
        description = "Shows an entry with its payload and its last error.",
        footer = {"", "Example: ./semel outbox show 0jx1f1kx0hs-XaFJm4jd --store rocksdb:queue"})
final class OutboxShowCommand implements Runnable {

    @Parameters(paramLabel = "ID", description = "The id of an entry.")
    private String id = "";

    @Mixin
    private OutboxOptions options = new OutboxOptions();

    @Option(names = "--json", description = "Prints a JSON object.")
    private boolean json;

    private final Terminal terminal;

    OutboxShowCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public void run() {
        try (OutboxOptions.Opened opened = options.open()) {
            OutboxEntry entry = EntryOutput.find(opened.outbox(), id);
            if (json) {
                EntryOutput.printJson(terminal, entry);
            } else {
                EntryOutput.print(terminal, entry);
            }
        }
    }
}
