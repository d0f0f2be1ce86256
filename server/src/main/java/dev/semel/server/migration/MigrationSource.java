package dev.semel.server.migration;

import org.jspecify.annotations.Nullable;

/** Reads the documents that are migrated. Used by one thread at a time. */
public abstract sealed class MigrationSource implements AutoCloseable permits NdjsonSource, StoreSource {

    private final SourceId id;

    MigrationSource(SourceId id) {
        this.id = id;
    }

    /** Returns what identifies the source. */
    SourceId id() {
        return id;
    }

    /** Returns the next document; null after the last. */
    abstract @Nullable SourceLine next();

    /**
     * Continues after a document, if the source can seek.
     *
     * @param after the last document that was read
     */
    void seek(SourceLine after) {}

    /** Returns the part of the source that was read, from 0 to 1; 0 if its size is unknown. */
    public double fraction() {
        return 0;
    }

    @Override
    public void close() {}

    /**
     * What identifies a source.
     *
     * @param name the name of the file, or location and collection of the store
     * @param seekable whether documents can be found by a cursor. If not, a migration that continues reads the lines again, and compares
     *     them with its journal
     */
    public record SourceId(String name, boolean seekable) {

        /** Whether another source can be the same. A file may be moved, or come from standard input: its lines decide. */
        boolean mayBe(SourceId other) {
            return seekable == other.seekable && (!seekable || name.equals(other.name));
        }
    }
}
