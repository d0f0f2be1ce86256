package dev.semel.server.settings;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A parsed {@code --store} URL. */
public sealed interface StoreUrl permits StoreUrl.Memory, StoreUrl.Directory, PostgresUrl {

    /** The accepted URLs, for help and errors. */
    String FORMS = "memory:, rocksdb:FOLDER or " + PostgresUrl.FORM;

    /** The accepted URLs of stores that outlast the process. */
    String DURABLE_FORMS = "rocksdb:FOLDER or " + PostgresUrl.FORM;

    /** A store in memory, which is lost when the process ends. */
    record Memory() implements StoreUrl {}

    /** The folder of an embedded store. */
    record Directory(Path path) implements StoreUrl {}

    /**
     * Parses a URL. Returns null if its scheme is unknown or its folder is missing or invalid.
     *
     * @throws MalformedUrlException if it is a malformed URL of a database
     */
    static @Nullable StoreUrl parse(String text) {
        if (text.equals("memory:")) {
            return new Memory();
        }
        if (PostgresUrl.hasScheme(text)) {
            return PostgresUrl.parse(text);
        }
        return ofFolder(text);
    }

    /** Parses the URL of an embedded store. Returns null if its scheme is another one, or if its folder is missing or invalid. */
    static @Nullable Directory ofFolder(String text) {
        String scheme = "rocksdb:";
        if (!text.startsWith(scheme) || text.length() == scheme.length()) {
            return null;
        }
        try {
            return new Directory(Path.of(text.substring(scheme.length())));
        } catch (InvalidPathException e) {
            return null;
        }
    }

    /** Thrown for a malformed URL. The message contains nothing that may be a password. */
    final class MalformedUrlException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        MalformedUrlException(String fault) {
            super(fault, null, false, false);
        }
    }
}
