package dev.semel.server.migration;

import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.server.apps.reputation.DocumentType;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What a line of the source becomes, as far as the line alone determines it. */
sealed interface Planned {

    /** Returns the line as it was read from the source. */
    SourceLine line();

    /**
     * A document under its new key.
     *
     * @param legacyKey its key in the source
     * @param dataChecksum SHA-256 of the data
     * @param createdAt null if the source does not have it, as {@code updatedAt}
     */
    record Copy(
            SourceLine line,
            DocumentType type,
            String legacyKey,
            String key,
            long version,
            @Nullable Instant createdAt,
            @Nullable Instant updatedAt,
            Json data,
            Fingerprint dataChecksum)
            implements Planned {}

    /**
     * A line that is left out.
     *
     * @param type null if the line has none
     * @param legacyKey null if the line has none
     */
    record LeftOut(
            SourceLine line,
            @Nullable DocumentType type,
            @Nullable String legacyKey,
            String reason) implements Planned {}
}
