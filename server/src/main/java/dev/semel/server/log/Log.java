package dev.semel.server.log;

import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** Writes log entries as JSON objects, one per line. */
public final class Log {

    private static final JsonFactory JSON = new JsonFactory();
    private static final int MOST_FRAMES = 20;
    private static final int MOST_CAUSES = 5;

    private static volatile Level level = Level.WARN;
    private static volatile Lines lines = new Lines(new FileOutputStream(FileDescriptor.err));

    private Log() {}

    /** Sets the lowest level that is logged. The default is warnings. */
    public static void setLevel(Level least) {
        level = least;
    }

    /** Sets where entries are written. The default is standard error. */
    public static void setOutput(OutputStream out) {
        lines = new Lines(out);
    }

    static Level level() {
        return level;
    }

    static void write(
            String logger,
            Level level,
            @Nullable String message,
            List<KeyValuePair> members,
            @Nullable Throwable thrown) {
        ByteArrayOutputStream line = new ByteArrayOutputStream(256);
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), line)) {
            json.writeStartObject()
                    .writeStringProperty(
                            "time", Instant.now().truncatedTo(ChronoUnit.MILLIS).toString())
                    .writeStringProperty("level", level.toString().toLowerCase(Locale.ROOT))
                    .writeStringProperty("logger", logger)
                    .writeStringProperty("message", String.valueOf(message));
            Map<String, String> context = MDC.getCopyOfContextMap();
            if (context != null) {
                context.forEach(json::writeStringProperty);
            }
            members.forEach(member -> write(json, member));
            if (thrown != null) {
                boolean ofRequest = context != null && !context.isEmpty();
                json.writeStringProperty("thrown", name(thrown, ofRequest));
                writeStack(json, thrown, ofRequest);
            }
            json.writeEndObject();
        }
        line.write('\n');
        lines.write(line.toByteArray());
    }

    private static void write(JsonGenerator json, KeyValuePair member) {
        if (member.value instanceof Number number) {
            json.writeNumberProperty(member.key, number.longValue());
        } else if (member.value != null) {
            json.writeStringProperty(member.key, member.value.toString());
        }
    }

    /** Omits the message of an exception during a request, since it may quote the request. */
    private static String name(Throwable thrown, boolean ofRequest) {
        return ofRequest ? thrown.getClass().getName() : thrown.toString();
    }

    private static void writeStack(JsonGenerator json, Throwable thrown, boolean ofRequest) {
        json.writeArrayPropertyStart("stack");
        int causes = 0;
        for (Throwable cause = thrown; cause != null && causes < MOST_CAUSES; cause = cause.getCause(), causes++) {
            if (cause != thrown) {
                json.writeString("caused by " + name(cause, ofRequest));
            }
            Stream.of(cause.getStackTrace()).limit(MOST_FRAMES).forEach(frame -> json.writeString(frame.toString()));
        }
        json.writeEndArray();
    }
}
