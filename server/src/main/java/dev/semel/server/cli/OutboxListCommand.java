package dev.semel.server.cli;

import dev.semel.outbox.Outbox;
import dev.semel.outbox.Outbox.Page;
import dev.semel.outbox.Outbox.Query;
import dev.semel.outbox.OutboxEntry;
import dev.semel.outbox.OutboxEntry.Status;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "list",
        description = {
            "Lists the entries of an outbox.",
            "They are in the order of adding, confirmed ones before those in the queue."
        },
        footer = {"", "Example: ./semel outbox list --store rocksdb:queue --status failed"})
final class OutboxListCommand implements Runnable {

    /** A table is aligned page by page, so that the first lines appear at once. */
    private static final int PAGE = 1000;

    @Mixin
    private OutboxOptions options = new OutboxOptions();

    @Option(
            names = "--status",
            paramLabel = "STATUS",
            completionCandidates = Statuses.class,
            description = "Only entries with this status: ${COMPLETION-CANDIDATES}.")
    private @Nullable String status;

    @Option(names = "--lane", paramLabel = "TEXT", description = "Only entries of this lane.")
    private @Nullable String lane;

    @Option(names = "--limit", paramLabel = "N", description = "The most entries to list.")
    private @Nullable Long limit;

    @Option(names = "--json", description = "Prints one JSON object per line.")
    private boolean json;

    @Spec
    private CommandSpec spec;

    private final Terminal terminal;

    OutboxListCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** The choices of --status. */
    static final class Statuses implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Stream.of(Status.values()).map(Status::toString).iterator();
        }
    }

    @Override
    public void run() {
        Status selected = status();
        long left = limit == null ? Long.MAX_VALUE : limit;
        if (left < 1) {
            throw new UsageException(spec, "--limit must be a whole number of 1 or more, not '" + left + "'.");
        }
        try (OutboxOptions.Opened opened = options.open()) {
            list(opened.outbox(), selected, left);
        }
    }

    private @Nullable Status status() {
        String given = status;
        if (given == null) {
            return null;
        }
        return Arrays.stream(Status.values())
                .filter(candidate -> candidate.toString().equals(given))
                .findFirst()
                .orElseThrow(() -> UsageErrors.notAccepted(spec, "--status", given));
    }

    private void list(Outbox outbox, @Nullable Status selected, long most) {
        long left = most;
        boolean first = true;
        String after = "";
        do {
            Page page = outbox.list(new Query(selected, lane, after, (int) Math.min(left, PAGE)));
            print(page.entries(), first);
            first &= page.entries().isEmpty();
            left -= page.entries().size();
            after = page.next();
        } while (left > 0 && !after.isEmpty());
    }

    private void print(List<OutboxEntry> entries, boolean first) {
        if (json) {
            entries.forEach(entry -> EntryOutput.printJson(terminal, entry));
        } else if (!entries.isEmpty()) {
            EntryOutput.printTable(terminal, entries, first);
        }
    }
}
