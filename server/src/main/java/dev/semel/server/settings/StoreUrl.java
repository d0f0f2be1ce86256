package dev.semel.server.settings;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where everything is kept.
 *
 * @param folder the embedded store's; null for memory
 */
public record StoreUrl(@Nullable Path folder) {

    static final String FORMS = "memory: or rocksdb:FOLDER";

    private static final String MEMORY = "memory:";
    private static final String ROCKSDB = "rocksdb:";

    /** Null if it is none. */
    static @Nullable StoreUrl parse(String text) {
        if (text.equals(MEMORY)) {
            return new StoreUrl(null);
        }
        if (!text.startsWith(ROCKSDB) || text.length() == ROCKSDB.length()) {
            return null;
        }
        try {
            return new StoreUrl(Path.of(text.substring(ROCKSDB.length())));
        } catch (InvalidPathException e) {
            return null;
        }
    }
}
