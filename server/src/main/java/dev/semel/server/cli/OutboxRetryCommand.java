package dev.semel.server.cli;

import dev.semel.outbox.Outbox;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "retry",
        description = {
            "Lets failed entries be sent again.",
            "They have the same keys as before, and their lanes continue with them."
        },
        customSynopsis = {
            "semel outbox retry [OPTIONS] --store URL ID",
            "       semel outbox retry [OPTIONS] --store URL --all"
        },
        footer = {"", "Example: ./semel outbox retry --all --store rocksdb:queue"})
final class OutboxRetryCommand implements Runnable {

    @Parameters(arity = "0..1", paramLabel = "ID", description = "The id of a failed entry.")
    private @Nullable String id;

    @Mixin
    private OutboxOptions options = new OutboxOptions();

    @Option(names = "--all", description = "Retries all failed entries.")
    private boolean all;

    @Spec
    private CommandSpec spec;

    private final Terminal terminal;

    OutboxRetryCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public void run() {
        String given = id;
        if (all && given != null) {
            throw new UsageException(spec, "ID cannot be given with --all.");
        }
        if (!all && given == null) {
            throw new UsageException(spec, "ID is missing: the id of a failed entry, or --all.");
        }
        try (OutboxOptions.Opened opened = options.open()) {
            long retried = given == null ? opened.outbox().retryAll() : retry(opened.outbox(), given);
            terminal.println("Retried " + EntryOutput.count(retried));
        }
    }

    private static long retry(Outbox outbox, String id) {
        if (!outbox.retry(id)) {
            throw new FailureException("The entry " + id + " has not failed: it is "
                    + EntryOutput.find(outbox, id).status());
        }
        return 1;
    }
}
