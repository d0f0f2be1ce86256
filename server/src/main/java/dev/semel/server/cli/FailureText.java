package dev.semel.server.cli;

import dev.semel.id.IdScheme.ExhaustedException;
import dev.semel.id.MalformedException;
import dev.semel.json.MalformedJsonException;
import dev.semel.server.migration.MigrationException;
import dev.semel.store.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Describes in one line why a command failed, without the names of exceptions. */
final class FailureText {

    private static final int MOST_CHARACTERS = 1000;
    private static final String FULL = "No space left on device";

    /** What these mean whose message is only a path. */
    private static final Map<String, String> PATHS = Map.of(
            NoSuchFileException.class.getName(), "there is no such file or folder: ",
            AccessDeniedException.class.getName(), "permission denied: ",
            FileAlreadyExistsException.class.getName(), "this exists and is not a folder: ",
            NotDirectoryException.class.getName(), "this is not a folder: ");

    private static final Pattern EXCEPTION =
            Pattern.compile("\\b(?:[a-z]\\w*\\.)+[A-Z][\\w$]*(?:Exception|Error)\\b(?:: )?");

    private FailureText() {}

    /** Returns the text for an exception that a command has thrown. */
    static String of(Throwable e) {
        boolean expected = e instanceof FailureException
                || e instanceof MalformedException
                || e instanceof MalformedJsonException
                || e instanceof StoreException
                || e instanceof ExhaustedException
                || e instanceof MigrationException
                || e instanceof UncheckedIOException;
        if (e instanceof OutOfMemoryError) {
            return "There is not enough memory.";
        }
        String message = withoutExceptions(e.getMessage());
        if (e instanceof StoreException && message.contains(FULL)) {
            message = message.replaceFirst(": .*", ": " + FULL); // RocksDB adds the calls that have failed
        }
        if (expected && !message.isBlank()) {
            return onOneLine(message);
        }
        return onOneLine(
                "Unexpected error" + (message.isBlank() ? "" : ": " + message) + " (--verbose prints the stack trace)");
    }

    /** Returns why a file cannot be used. */
    static String reason(IOException e) {
        String meaning = PATHS.get(e.getClass().getName());
        if (meaning != null) {
            return meaning.substring(0, meaning.indexOf(':'));
        }
        String reason = e instanceof FileSystemException file ? file.getReason() : e.getMessage();
        return reason == null ? "it cannot be read" : reason;
    }

    private static String withoutExceptions(@Nullable String message) {
        return EXCEPTION
                .matcher(message == null ? "" : message)
                .replaceAll(match -> Matcher.quoteReplacement(
                        PATHS.getOrDefault(match.group().replace(": ", ""), "")));
    }

    /** Returns a message that may quote what the user typed: on one line, and without characters that move the cursor. */
    static String onOneLine(@Nullable String message) {
        StringBuilder line = new StringBuilder();
        String.valueOf(message).codePoints().limit(MOST_CHARACTERS).forEach(c -> {
            switch (Character.getType(c)) {
                case Character.CONTROL,
                        Character.FORMAT,
                        Character.SURROGATE,
                        Character.LINE_SEPARATOR,
                        Character.PARAGRAPH_SEPARATOR -> line.append(String.format("\\u%04x", c));
                default -> line.appendCodePoint(c);
            }
        });
        return line.toString();
    }
}
