package dev.semel.server.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
        name = "outbox",
        description = "Stores requests durably, and sends each until the API has processed it exactly once.",
        subcommands = {
            OutboxAddCommand.class,
            OutboxRunCommand.class,
            OutboxListCommand.class,
            OutboxShowCommand.class,
            OutboxRetryCommand.class,
            OutboxDiscardCommand.class,
            OutboxPurgeCommand.class,
            HelpCommand.class
        },
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Example: ./semel outbox add --store rocksdb:queue --endpoint /v1/feed/posts \\",
            "             --data '{\"text\":\"hello\"}'",
            "         ./semel outbox run --store rocksdb:queue --dev-user ann --until-empty \\",
            "             --to http://localhost:8080"
        })
final class OutboxCommand implements Runnable {

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new UsageException(spec, "COMMAND is missing: add, run, list, show, retry, discard or purge.");
    }
}
