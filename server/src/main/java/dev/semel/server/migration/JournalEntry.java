package dev.semel.server.migration;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.server.apps.reputation.DocumentType;
import dev.semel.server.web.JsonText;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.Instant;
import java.util.Base64;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The entry of a migration's journal for one document of the source.
 *
 * @param line the line as the source has it
 * @param outcome what became of the document
 * @param type null if the line has none
 * @param legacyKey null if the line has none
 * @param key the new key; null if the document was left out
 * @param written what was written under the new key, if this is the first line with it; otherwise null
 * @param into the first line with the same key, if this one was merged into it; otherwise 0
 * @param reason why the document was left out; otherwise null
 */
record JournalEntry(
        SourceLine line,
        Outcome outcome,
        @Nullable DocumentType type,
        @Nullable String legacyKey,
        @Nullable String key,
        @Nullable Written written,
        long into,
        @Nullable String reason) {

    /** What became of a document. */
    enum Outcome {
        WRITTEN,
        MERGED,
        SKIPPED;

        private static Outcome of(String name) {
            return valueOf(name.toUpperCase(Locale.ROOT));
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * A written document. After a merge it is the merged one.
     *
     * @param version its version
     * @param checksum SHA-256 of its data
     * @param commitId id of the commit that wrote it. A document with another one was changed since
     * @param latest the latest of the merged documents
     */
    record Written(long version, Fingerprint checksum, String commitId, Order latest) {}

    /**
     * Decides which of several documents is the latest.
     *
     * @param updatedAt the time of its update in the source; without one, that of its creation, or 1970
     */
    record Order(Instant updatedAt, long version, long line) implements Comparable<Order> {
        @Override
        public int compareTo(Order other) {
            int byTime = updatedAt.compareTo(other.updatedAt);
            int byVersion = byTime != 0 ? byTime : Long.compare(version, other.version);
            return byVersion != 0 ? byVersion : Long.compare(line, other.line);
        }
    }

    JournalEntry withWritten(Written changed) {
        return new JournalEntry(line, outcome, type, legacyKey, key, changed, into, reason);
    }

    Json toJson() {
        ObjectNode json = JsonText.object()
                .put("line", line.number())
                .put("collection", type == null ? null : type.name())
                .put("from", legacyKey)
                .put("sha256", line.checksum().hex())
                .put("outcome", outcome.toString());
        if (key != null) {
            json.put("to", key);
        }
        if (written != null) {
            json.put("version", written.version)
                    .put("writtenSha256", written.checksum.hex())
                    .put("commit", written.commitId)
                    .put("latestAt", written.latest.updatedAt.toString())
                    .put("latestVersion", written.latest.version)
                    .put("latestLine", written.latest.line);
        }
        if (into != 0) {
            json.put("into", into);
        }
        if (reason != null) {
            json.put("reason", reason);
        }
        if (line.cut()) {
            json.put("cut", true);
        }
        if (!line.cursor().isEmpty()) {
            json.put("cursor", line.cursor());
        }
        String text = text(line.bytes());
        if (text == null) {
            json.put("base64", Base64.getEncoder().encodeToString(line.bytes()));
        } else {
            json.put("old", text);
        }
        return JsonText.json(json);
    }

    /** Returns the text of a line; null if it is not UTF-8, so that its bytes cannot be restored from a text. */
    private static @Nullable String text(byte[] line) {
        try {
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    static JournalEntry of(Json data) {
        JsonNode json = JsonText.tree(data);
        byte[] bytes = json.has("base64")
                ? Base64.getDecoder().decode(json.path("base64").asString())
                : json.path("old").asString().getBytes(UTF_8);
        SourceLine line = new SourceLine(
                json.path("line").asLong(),
                bytes,
                json.has("cut"),
                Fingerprint.parse(json.path("sha256").asString()),
                json.path("cursor").asString(""));
        return new JournalEntry(
                line,
                Outcome.of(json.path("outcome").asString()),
                DocumentType.named(json.path("collection").asString("")).orElse(null),
                optional(json, "from"),
                optional(json, "to"),
                json.has("commit") ? written(json) : null,
                json.path("into").asLong(0),
                optional(json, "reason"));
    }

    private static Written written(JsonNode json) {
        return new Written(
                json.path("version").asLong(),
                Fingerprint.parse(json.path("writtenSha256").asString()),
                json.path("commit").asString(),
                new Order(
                        Instant.parse(json.path("latestAt").asString()),
                        json.path("latestVersion").asLong(),
                        json.path("latestLine").asLong()));
    }

    private static @Nullable String optional(JsonNode json, String name) {
        JsonNode value = json.path(name);
        return value.isString() ? value.asString() : null;
    }
}
