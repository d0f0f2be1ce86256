package dev.semel.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses a stream of server-sent events. Lines end with LF or CR LF. */
final class EventParser {

    /** More than any event of the feed, and little enough to be held in memory. */
    private static final int MOST_BYTES = 8 << 20;

    private static final Pattern DIGITS = Pattern.compile("[0-9]{1,9}");

    private final InputStream in;
    private final Runnable onLine;
    private String lastId;
    private @Nullable Duration reconnectAfter;

    /**
     * Creates a parser.
     *
     * @param lastId the id of the last event of an earlier stream; empty if there is none
     * @param onLine called after each line, even if it belongs to no event
     */
    EventParser(InputStream in, String lastId, Runnable onLine) {
        this.in = new BufferedInputStream(in);
        this.lastId = lastId;
        this.onLine = onLine;
    }

    /**
     * An event.
     *
     * @param id the id after which a reader resumes
     * @param data empty if the server only sends an id
     */
    record Parsed(String id, String type, String data) {}

    /** Returns the pause before reconnecting that the server asks for; null if it asks for none. */
    @Nullable Duration reconnectAfter() {
        return reconnectAfter;
    }

    /**
     * Returns the next event; null if the stream has ended. An event that is cut off by the end is dropped.
     *
     * @throws IOException if reading fails, or if an event is too large
     */
    @Nullable Parsed next() throws IOException {
        String type = "message";
        StringBuilder data = new StringBuilder();
        String id = lastId;
        for (String line = line(); line != null; line = line()) {
            if (line.isEmpty() && (data.length() > 0 || !id.equals(lastId))) {
                lastId = id;
                return new Parsed(id, type, data.substring(0, Math.max(0, data.length() - 1)));
            }
            int colon = line.indexOf(':');
            String field = colon < 0 ? line : line.substring(0, colon);
            String value = colon < 0 ? "" : line.substring(line.startsWith(": ", colon) ? colon + 2 : colon + 1);
            switch (field) {
                case "" -> type = line.isEmpty() ? "message" : type; // an empty line or a comment
                case "event" -> type = value;
                case "data" -> append(data, value);
                case "id" -> id = value;
                case "retry" -> reconnectAfter = pause(value);
                default -> {} // unknown fields are ignored
            }
        }
        return null;
    }

    private static void append(StringBuilder data, String value) throws IOException {
        if (data.length() + value.length() > MOST_BYTES) {
            throw tooLarge();
        }
        data.append(value).append('\n');
    }

    private @Nullable Duration pause(String value) {
        return DIGITS.matcher(value).matches() ? Duration.ofMillis(Long.parseLong(value)) : reconnectAfter;
    }

    private static IOException tooLarge() {
        return new IOException("An event has more than " + MOST_BYTES + " bytes");
    }

    /** Returns a line without its end; null if the stream has ended, even amid a line. */
    private @Nullable String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                return null;
            }
            if (line.size() == MOST_BYTES) {
                throw tooLarge();
            }
            line.write(b);
        }
        onLine.run();
        String text = line.toString(UTF_8);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }
}
