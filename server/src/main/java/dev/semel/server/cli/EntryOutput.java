package dev.semel.server.cli;

import dev.semel.json.Json;
import dev.semel.json.MalformedJsonException;
import dev.semel.outbox.Outbox;
import dev.semel.outbox.OutboxEntry;
import dev.semel.outbox.OutboxEntry.Response;
import dev.semel.server.settings.Suggestions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import tools.jackson.core.JsonGenerator;

/** Prints entries of an outbox. */
final class EntryOutput {

    private static final int LONGEST_CELL = 60;

    private EntryOutput() {}

    /** Returns "1 entry" or "2,000 entries". */
    static String count(long entries) {
        return entries == 1 ? "1 entry" : String.format(Locale.ROOT, "%,d entries", entries);
    }

    /**
     * Returns an entry.
     *
     * @throws FailureException if there is none with this id
     */
    static OutboxEntry find(Outbox outbox, String id) {
        return outbox.find(id).orElseThrow(() -> new FailureException("There is no entry " + Suggestions.quote(id)));
    }

    /** Prints an entry as a JSON object on one line. */
    static void printJson(Terminal terminal, OutboxEntry entry) {
        terminal.printJson(json -> {
            json.writeStringProperty("id", entry.id());
            json.writeStringProperty("idempotencyKey", entry.idempotencyKey());
            json.writeStringProperty("clientTxId", entry.clientTxId());
            json.writeStringProperty("operation", entry.operation());
            json.writeStringProperty("method", entry.method());
            json.writeStringProperty("endpoint", entry.endpoint());
            json.writeStringProperty("contentType", entry.contentType());
            json.writeName("payload");
            writePayload(json, entry);
            json.writeStringProperty("lane", entry.lane());
            json.writeStringProperty("status", entry.status().toString());
            json.writeNumberProperty("retryCount", entry.retryCount());
            json.writeStringProperty("nextRetryAt", entry.nextRetryAt().toString());
            json.writeStringProperty("createdAt", entry.createdAt().toString());
            Instant firstSentAt = entry.firstSentAt();
            if (firstSentAt != null) {
                json.writeStringProperty("firstSentAt", firstSentAt.toString());
            }
            String lastError = entry.lastError();
            if (lastError != null) {
                json.writeStringProperty("lastError", lastError);
            }
            Response response = entry.response();
            if (response != null) {
                json.writeObjectPropertyStart("response");
                json.writeNumberProperty("status", response.status());
                json.writeStringProperty("body", response.body());
                json.writeEndObject();
            }
        });
    }

    /** Writes a payload of JSON as the value that it is, and another one as a text. */
    private static void writePayload(JsonGenerator json, OutboxEntry entry) {
        String text = entry.payload().text();
        if (text.isEmpty()) {
            json.writeNull();
        } else if (isJson(entry, text)) {
            json.writeRawValue(onOneLine(text));
        } else {
            json.writeString(text);
        }
    }

    private static boolean isJson(OutboxEntry entry, String text) {
        if (!entry.contentType().startsWith("application/json")) {
            return false;
        }
        try {
            Json.of(text);
            return true;
        } catch (MalformedJsonException e) {
            return false;
        }
    }

    /** Line breaks are between the values of a JSON text, and characters other than ASCII within strings, where they can be escaped. */
    private static String onOneLine(String json) {
        StringBuilder line = new StringBuilder(json.length());
        json.chars().forEach(c -> {
            if (c < 0x7f) {
                line.append(c == '\n' || c == '\r' ? ' ' : (char) c);
            } else {
                line.append(String.format("\\u%04x", c));
            }
        });
        return line.toString();
    }

    /** Prints a table of entries. */
    static void printTable(Terminal terminal, List<OutboxEntry> entries, boolean withHeader) {
        Table table = new Table();
        if (withHeader) {
            table.add("ID", "STATUS", "LANE", "REQUEST", "RETRIES", "NEXT ATTEMPT", "LAST ERROR");
        }
        for (OutboxEntry entry : entries) {
            boolean pending = entry.status() == OutboxEntry.Status.PENDING;
            String lastError = entry.lastError();
            table.add(
                    entry.id(),
                    entry.status().toString(),
                    cell(entry.lane()),
                    cell(entry.method() + " " + entry.endpoint()),
                    Integer.toString(entry.retryCount()),
                    pending
                            ? entry.nextRetryAt()
                                    .truncatedTo(ChronoUnit.SECONDS)
                                    .toString()
                            : "",
                    lastError == null ? "" : cell(lastError));
        }
        table.print(terminal, "");
    }

    private static String cell(String text) {
        String line = FailureText.onOneLine(text);
        return line.length() <= LONGEST_CELL ? line : line.substring(0, LONGEST_CELL - 1) + "…";
    }

    /** Prints an entry with a line for each of its fields. */
    static void print(Terminal terminal, OutboxEntry entry) {
        Table table = new Table();
        table.add("id", entry.id());
        table.add("status", entry.status().toString());
        table.add("operation", FailureText.onOneLine(entry.operation()));
        table.add("request", FailureText.onOneLine(entry.method() + " " + entry.endpoint()));
        table.add("lane", FailureText.onOneLine(entry.lane()));
        table.add("idempotency key", entry.idempotencyKey());
        table.add("client tx id", entry.clientTxId());
        table.add("created", entry.createdAt().toString());
        Instant firstSentAt = entry.firstSentAt();
        if (firstSentAt != null) {
            table.add("first sent", firstSentAt.toString());
        }
        table.add("retries", Integer.toString(entry.retryCount()));
        if (entry.status() == OutboxEntry.Status.PENDING) {
            table.add("next attempt", entry.nextRetryAt().toString());
        }
        String lastError = entry.lastError();
        if (lastError != null) {
            table.add("last error", FailureText.onOneLine(lastError));
        }
        Response response = entry.response();
        if (response != null) {
            table.add("response", response.status() + " " + FailureText.onOneLine(response.body()));
        }
        table.add("content type", FailureText.onOneLine(entry.contentType()));
        table.add("payload", FailureText.onOneLine(entry.payload().text()));
        table.print(terminal, "");
    }
}
