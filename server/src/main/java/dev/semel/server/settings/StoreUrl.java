package dev.semel.server.settings;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where everything is kept. */
public sealed interface StoreUrl permits StoreUrl.Memory, StoreUrl.Directory, PostgresUrl {

    /** What there is, for whoever wrote something else. */
    String FORMS = "memory:, rocksdb:FOLDER or " + PostgresUrl.FORM;

    /** Forgotten when the process ends. */
    record Memory() implements StoreUrl {}

    /** The embedded store's. */
    record Directory(Path path) implements StoreUrl {}

    /**
     * Null if it is none.
     *
     * @throws MalformedUrlException if it is one of a database with something wrong
     */
    static @Nullable StoreUrl parse(String text) {
        if (text.equals("memory:")) {
            return new Memory();
        }
        if (PostgresUrl.hasScheme(text)) {
            return PostgresUrl.parse(text);
        }
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

    /** Says what is wrong with a URL, and shows nothing of it that could be a password. */
    final class MalformedUrlException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        MalformedUrlException(String fault) {
            super(fault, null, false, false);
        }
    }
}
