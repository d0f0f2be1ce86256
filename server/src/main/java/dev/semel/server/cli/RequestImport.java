package dev.semel.server.cli;

import dev.semel.document.Transactions;
import dev.semel.json.MalformedJsonException;
import dev.semel.outbox.OutboxEntry;
import dev.semel.outbox.OutboxRequest;
import dev.semel.outbox.Payload;
import dev.semel.store.StoreException;
import java.util.ArrayList;
import java.util.List;

/** Adds requests to an outbox that are passed as lines of JSON. A commit has many of them, as long as more can be read without waiting. */
final class RequestImport {

    /** A payload, and space for the other members. */
    static final int LONGEST_LINE = Payload.MOST_BYTES + (1 << 16);

    private static final int MOST_REQUESTS = 256;
    private static final int MOST_BYTES = 1 << 20;

    private final OutboxOptions.Opened opened;
    private final Transactions transactions;
    private final Terminal terminal;
    private final StatusLine progress;
    private final List<OutboxRequest> waiting = new ArrayList<>();
    private long waitingBytes;
    private long firstWaiting;
    private long line;
    private long added;

    RequestImport(OutboxOptions.Opened opened, Terminal terminal, StatusLine progress) {
        this.opened = opened;
        this.transactions = new Transactions(opened.storage().store(), opened.time());
        this.terminal = terminal;
        this.progress = progress;
    }

    /**
     * Adds the requests, and prints their ids. Skips empty lines.
     *
     * @throws FailureException if a line is invalid, or if the store fails. The requests before it are added
     */
    void addAll(Lines lines) {
        for (String text = lines.next(); text != null; text = lines.next()) {
            line++;
            if (!text.isBlank()) {
                enqueue(parse(text, lines));
            }
            if (waiting.size() == MOST_REQUESTS || waitingBytes >= MOST_BYTES || !lines.isReady()) {
                commit();
            }
        }
        commit();
    }

    private void enqueue(OutboxRequest request) {
        if (waiting.isEmpty()) {
            firstWaiting = line;
        }
        waiting.add(request);
        waitingBytes += request.payload().length();
    }

    private OutboxRequest parse(String text, Lines lines) {
        try {
            if (lines.wasCut()) {
                throw new IllegalArgumentException("it has more than " + LONGEST_LINE + " bytes");
            }
            if (!lines.wasUtf8()) {
                throw new IllegalArgumentException("it is not UTF-8");
            }
            return RequestLines.parse(text);
        } catch (MalformedJsonException e) {
            throw invalid("column " + e.column() + ": " + e.problem(), e);
        } catch (IllegalArgumentException e) {
            throw invalid(String.valueOf(e.getMessage()), e);
        }
    }

    private FailureException invalid(String reason, RuntimeException cause) {
        commit();
        String sentence = reason.endsWith("?") || reason.endsWith(".") ? reason : reason + ".";
        return new FailureException(
                "Line " + line + ": " + sentence + " " + EntryOutput.count(added) + " added", cause);
    }

    private void commit() {
        if (waiting.isEmpty()) {
            return;
        }
        List<OutboxEntry> entries;
        try {
            entries = transactions.run(tx -> waiting.stream()
                    .map(request -> opened.outbox().add(tx, request))
                    .toList());
        } catch (StoreException e) {
            String which = firstWaiting == line ? "line " + line : "lines " + firstWaiting + " to " + line;
            throw new FailureException(
                    FailureText.of(e) + ". " + EntryOutput.count(added) + " added before " + which
                            + (e.isCertain() ? "" : ", whose entries may have been added"),
                    e);
        }
        waiting.clear();
        waitingBytes = 0;
        added += entries.size();
        entries.forEach(entry -> terminal.println(entry.id()));
        terminal.flush();
        progress.show(() -> EntryOutput.count(added) + " added");
    }
}
