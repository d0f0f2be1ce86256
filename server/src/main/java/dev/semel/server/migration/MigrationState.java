package dev.semel.server.migration;

import dev.semel.json.Json;
import dev.semel.server.migration.JournalEntry.Outcome;
import dev.semel.server.migration.MigrationSource.SourceId;
import dev.semel.server.web.JsonText;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * How far a migration is. A batch of documents and this state are written in one commit.
 *
 * @param number the number of the migration in its store, from 1 on
 * @param map the given mapping of parts; empty for the defaults
 * @param merge the rule for documents with the same key
 * @param startedAt when it was started
 * @param endedAt when it was completed or rolled back; null before
 * @param line the last line that was processed
 * @param total the number of documents by outcome
 * @param types the number of documents by type and outcome; those whose type is unknown are not in it
 * @param undone the number of journal entries that a rollback has undone
 */
public record MigrationState(
        int number,
        Phase phase,
        SourceId source,
        String map,
        String merge,
        Instant startedAt,
        @Nullable Instant endedAt,
        long line,
        Counts total,
        Map<String, Counts> types,
        long undone) {

    /** The phases of a migration. A migration that was killed stays in its phase. */
    public enum Phase {
        RUNNING,
        COMPLETE,
        ROLLING_BACK,
        ROLLED_BACK;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        private static Phase of(String name) {
            return valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
        }
    }

    /** The number of documents that were written, merged into others, and left out. */
    public record Counts(long written, long merged, long skipped) {

        static final Counts NONE = new Counts(0, 0, 0);

        /** Returns the number of all documents. */
        public long read() {
            return written + merged + skipped;
        }

        Counts plus(Outcome outcome) {
            return switch (outcome) {
                case WRITTEN -> new Counts(written + 1, merged, skipped);
                case MERGED -> new Counts(written, merged + 1, skipped);
                case SKIPPED -> new Counts(written, merged, skipped + 1);
            };
        }

        private ObjectNode toJson() {
            return JsonText.object()
                    .put("written", written)
                    .put("merged", merged)
                    .put("skipped", skipped);
        }

        private static Counts of(JsonNode json) {
            return new Counts(
                    json.path("written").asLong(),
                    json.path("merged").asLong(),
                    json.path("skipped").asLong());
        }
    }

    static MigrationState started(int number, SourceId source, MigrationOptions options, Instant now) {
        return new MigrationState(
                number,
                Phase.RUNNING,
                source,
                options.map().toString(),
                options.merge().toString(),
                now,
                null,
                0,
                Counts.NONE,
                Map.of(),
                0);
    }

    boolean hasOptions(MigrationOptions options) {
        return map.equals(options.map().toString())
                && merge.equals(options.merge().toString());
    }

    MigrationState in(Phase phase, @Nullable Instant endedAt) {
        return new MigrationState(number, phase, source, map, merge, startedAt, endedAt, line, total, types, undone);
    }

    MigrationState after(JournalEntry entry) {
        Map<String, Counts> byType = new TreeMap<>(types);
        if (entry.type() != null) {
            byType.merge(
                    entry.type().name(),
                    Counts.NONE.plus(entry.outcome()),
                    (known, one) -> known.plus(entry.outcome()));
        }
        return new MigrationState(
                number,
                phase,
                source,
                map,
                merge,
                startedAt,
                endedAt,
                entry.line().number(),
                total.plus(entry.outcome()),
                byType,
                undone);
    }

    /**
     * Returns the state before its last line, which was left out and has no type.
     *
     * @param line the line before
     */
    MigrationState withoutLast(long line) {
        Counts before = new Counts(total.written(), total.merged(), total.skipped() - 1);
        return new MigrationState(number, phase, source, map, merge, startedAt, endedAt, line, before, types, undone);
    }

    MigrationState withUndone(long undone) {
        return new MigrationState(number, phase, source, map, merge, startedAt, endedAt, line, total, types, undone);
    }

    Json toJson() {
        ObjectNode json = JsonText.object()
                .put("migration", number)
                .put("phase", phase.toString())
                .put("source", source.name())
                .put("seekable", source.seekable())
                .put("map", map)
                .put("merge", merge)
                .put("startedAt", startedAt.toString())
                .put("endedAt", endedAt == null ? null : endedAt.toString())
                .put("line", line)
                .put("undone", undone);
        json.set("total", total.toJson());
        ObjectNode byType = json.putObject("types");
        types.forEach((type, counts) -> byType.set(type, counts.toJson()));
        return JsonText.json(json);
    }

    static MigrationState of(Json data) {
        JsonNode json = JsonText.tree(data);
        Map<String, Counts> types = new TreeMap<>();
        json.path("types").properties().forEach(type -> types.put(type.getKey(), Counts.of(type.getValue())));
        JsonNode endedAt = json.path("endedAt");
        return new MigrationState(
                json.path("migration").asInt(),
                Phase.of(json.path("phase").asString()),
                new SourceId(
                        json.path("source").asString(), json.path("seekable").asBoolean()),
                json.path("map").asString(),
                json.path("merge").asString(),
                Instant.parse(json.path("startedAt").asString()),
                endedAt.isString() ? Instant.parse(endedAt.asString()) : null,
                json.path("line").asLong(),
                Counts.of(json.path("total")),
                types,
                json.path("undone").asLong());
    }
}
