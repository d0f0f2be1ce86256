package dev.semel.server.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "discard",
        description = {
            "Deletes an entry that is pending or has failed.",
            "Its lane continues with the next one. If the entry was sent before, the API may have processed it."
        },
        footer = {"", "Example: ./semel outbox discard 0jx1f1kx0hs-XaFJm4jd --store rocksdb:queue"})
final class OutboxDiscardCommand implements Runnable {

    @Parameters(paramLabel = "ID", description = "The id of an entry.")
    private String id = "";

    @Mixin
    private OutboxOptions options = new OutboxOptions();

    private final Terminal terminal;

    OutboxDiscardCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public void run() {
        try (OutboxOptions.Opened opened = options.open()) {
            if (!opened.outbox().discard(id)) {
                throw new FailureException("The entry " + id + " cannot be discarded: it is "
                        + EntryOutput.find(opened.outbox(), id).status());
            }
            terminal.println("Discarded " + id);
        }
    }
}
