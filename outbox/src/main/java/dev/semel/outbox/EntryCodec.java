package dev.semel.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.json.Json;
import dev.semel.outbox.OutboxEntry.Response;
import dev.semel.outbox.OutboxEntry.Status;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Encodes entries as the data of documents.
 *
 * <p>Members and reasons that this version does not know are ignored. The number of the format changes only if older versions could misread an entry.
 */
final class EntryCodec {

    private static final int FORMAT = 1;
    private static final JsonFactory JSON = new JsonFactory();

    private EntryCodec() {}

    /** Thrown if the data of a document cannot be read as an entry. */
    static final class UnreadableException extends Exception {
        private static final long serialVersionUID = 1L;

        UnreadableException(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    static Json encode(OutboxEntry entry) {
        ByteArrayOutputStream bytes =
                new ByteArrayOutputStream(512 + entry.payload().length());
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), bytes)) {
            json.writeStartObject()
                    .writeNumberProperty("format", FORMAT)
                    .writeStringProperty("idempotencyKey", entry.idempotencyKey())
                    .writeStringProperty("clientTxId", entry.clientTxId())
                    .writeStringProperty("operation", entry.operation())
                    .writeStringProperty("method", entry.method())
                    .writeStringProperty("endpoint", entry.endpoint())
                    .writeStringProperty("contentType", entry.contentType());
            writePayload(json, entry.payload());
            json.writeStringProperty("lane", entry.lane())
                    .writeStringProperty("status", entry.status().toString())
                    .writeNumberProperty("retryCount", entry.retryCount())
                    .writeStringProperty("nextRetryAt", entry.nextRetryAt().toString())
                    .writeStringProperty("createdAt", entry.createdAt().toString());
            Instant firstSentAt = entry.firstSentAt();
            if (firstSentAt != null) {
                json.writeStringProperty("firstSentAt", firstSentAt.toString());
            }
            Reason reason = entry.reason();
            if (reason != null) {
                json.writeStringProperty("reason", reason.toString());
            }
            String lastError = entry.lastError();
            if (lastError != null) {
                json.writeStringProperty("lastError", wellFormed(lastError));
            }
            Response response = entry.response();
            if (response != null) {
                json.writeNumberProperty("responseStatus", response.status())
                        .writeStringProperty("responseBody", wellFormed(response.body()));
            }
            json.writeEndObject();
        }
        return Json.ofChecked(bytes.toByteArray());
    }

    /** Replaces halves of surrogate pairs, which a text has that was cut short, and which JSON cannot contain. */
    private static String wellFormed(String text) {
        return text.codePoints()
                .map(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? '\uFFFD' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    /**
     * Writes the payload as text if it is valid UTF-8, and has no control characters, which JSON writes with six bytes each; otherwise in base64.
     * Either way it is read back byte for byte.
     */
    private static void writePayload(JsonGenerator json, Payload payload) {
        byte[] bytes = payload.bytes();
        String text = payload.text();
        boolean hasControls = text.chars().anyMatch(c -> c < ' ' && c != '\n' && c != '\r' && c != '\t');
        if (!hasControls && Arrays.equals(text.getBytes(UTF_8), bytes)) {
            json.writeStringProperty("payload", text);
        } else {
            json.writeStringProperty("payloadBase64", Base64.getEncoder().encodeToString(bytes));
        }
    }

    /**
     * Decodes an entry.
     *
     * @throws UnreadableException if it was written by another version, or is damaged
     */
    static OutboxEntry decode(String id, Json data) throws UnreadableException {
        Members members = new Members();
        try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), data.bytes())) {
            json.nextToken();
            while (json.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = json.currentName();
                json.nextToken();
                members.read(id, name, json);
            }
            return members.entry(id);
        } catch (UnreadableException e) {
            throw e;
        } catch (RuntimeException e) { // of the parser, of a time, or of a member that is missing
            throw new UnreadableException(
                    "The entry " + id + " is damaged (" + e.getClass().getSimpleName()
                            + "): restore the store from a backup, or discard the entry",
                    e);
        }
    }

    private static final class Members {
        private @Nullable String idempotencyKey;
        private @Nullable String clientTxId;
        private @Nullable String operation;
        private @Nullable String method;
        private @Nullable String endpoint;
        private @Nullable String contentType;
        private @Nullable Payload payload;
        private @Nullable String lane;
        private @Nullable Status status;
        private int retryCount;
        private @Nullable Instant nextRetryAt;
        private @Nullable Instant createdAt;
        private @Nullable Instant firstSentAt;
        private @Nullable Reason reason;
        private @Nullable String lastError;
        private int responseStatus;
        private @Nullable String responseBody;

        void read(String id, String name, JsonParser json) throws UnreadableException {
            switch (name) {
                case "format" -> checkFormat(id, json.getIntValue());
                case "idempotencyKey" -> idempotencyKey = json.getString();
                case "clientTxId" -> clientTxId = json.getString();
                case "operation" -> operation = json.getString();
                case "method" -> method = json.getString();
                case "endpoint" -> endpoint = json.getString();
                case "contentType" -> contentType = json.getString();
                case "payload" -> payload = Payload.of(json.getString());
                case "payloadBase64" -> payload = Payload.of(Base64.getDecoder().decode(json.getString()));
                case "lane" -> lane = json.getString();
                case "status" -> status = Status.valueOf(json.getString().toUpperCase(Locale.ROOT));
                case "retryCount" -> retryCount = json.getIntValue();
                case "nextRetryAt" -> nextRetryAt = Instant.parse(json.getString());
                case "createdAt" -> createdAt = Instant.parse(json.getString());
                case "firstSentAt" -> firstSentAt = Instant.parse(json.getString());
                case "reason" -> reason = reason(json.getString());
                case "lastError" -> lastError = json.getString();
                case "responseStatus" -> responseStatus = json.getIntValue();
                case "responseBody" -> responseBody = json.getString();
                default -> json.skipChildren();
            }
        }

        /** The format is the first member, so it is checked before members that this version may misread. */
        private static void checkFormat(String id, int format) throws UnreadableException {
            if (format != FORMAT) {
                throw new UnreadableException(
                        "The entry " + id + " has format " + format + ", and this version of Semel reads format "
                                + FORMAT + ": open the outbox with the version that wrote it",
                        null);
            }
        }

        /** Returns null for a reason that this version does not know. */
        private static @Nullable Reason reason(String name) {
            return Arrays.stream(Reason.values())
                    .filter(reason -> reason.toString().equals(name))
                    .findFirst()
                    .orElse(null);
        }

        OutboxEntry entry(String id) {
            return new OutboxEntry(
                    id,
                    Objects.requireNonNull(idempotencyKey),
                    Objects.requireNonNull(clientTxId),
                    Objects.requireNonNull(operation),
                    Objects.requireNonNull(method),
                    Objects.requireNonNull(endpoint),
                    Objects.requireNonNull(contentType),
                    Objects.requireNonNull(payload),
                    Objects.requireNonNull(lane),
                    Objects.requireNonNull(status),
                    retryCount,
                    Objects.requireNonNull(nextRetryAt),
                    Objects.requireNonNull(createdAt),
                    firstSentAt,
                    reason,
                    lastError,
                    responseBody == null ? null : new Response(responseStatus, responseBody));
        }
    }
}
