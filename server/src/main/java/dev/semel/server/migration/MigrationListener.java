package dev.semel.server.migration;

import org.jspecify.annotations.Nullable;

/** Receives what a migration finds and does. */
public interface MigrationListener {

    /** A listener that ignores everything. */
    MigrationListener NONE = new MigrationListener() {};

    /**
     * A document of the source was left out. When a migration continues, those of its earlier runs are reported again.
     *
     * @param key its key in the source; null if it has none
     */
    default void leftOut(long line, @Nullable String key, String reason) {}

    /** A document was written under its new key, or merged into another. */
    default void migrated(String type, String legacyKey, String key) {}

    /**
     * A document is not as the migration has written it.
     *
     * @param changed whether a user has changed it since; otherwise it is damaged or missing
     */
    default void differs(String type, String key, boolean changed, String reason) {}

    /**
     * A batch was processed.
     *
     * @param documents the number of documents that were processed, those of earlier runs included
     * @param fraction the processed part, from 0 to 1; 0 if it is unknown
     */
    default void progress(long documents, double fraction) {}
}
