package dev.semel.once;

import dev.semel.once.Once.FailedResponse;
import dev.semel.store.spi.IdempotencyRecord;
import org.jspecify.annotations.Nullable;

/** What a record keeps of the failure of an operation. */
final class FailureCause {

    private FailureCause() {}

    /** Sets the outcome and the cause of a record that failed. */
    static IdempotencyRecord.Builder set(IdempotencyRecord.Builder record, Throwable thrown) {
        return record.outcome(thrown instanceof FailedResponse response ? (Integer) response.status() : null)
                .cause(text(thrown));
    }

    /**
     * Returns the class of an exception and the first line of its message. A database driver appends lines with the values of rows, which may
     * belong to others. The message of a {@link FailedResponse} describes it without the class.
     */
    private static String text(Throwable thrown) {
        Throwable cause = thrown.getCause();
        boolean isResponse = thrown instanceof FailedResponse;
        if (isResponse && cause != null) {
            return text(cause);
        }
        String message = firstLine(message(thrown));
        String name = thrown.getClass().getName();
        String simpleName = name.substring(Math.max(name.lastIndexOf('.'), name.lastIndexOf('$')) + 1);
        if (message.isEmpty()) {
            return simpleName;
        }
        return isResponse ? message : simpleName + ": " + message;
    }

    /** An exception of an application may even fail to return its message. */
    private static @Nullable String message(Throwable thrown) {
        try {
            return thrown.getMessage();
        } catch (Throwable e) {
            return null;
        }
    }

    private static String firstLine(@Nullable String message) {
        return message == null
                ? ""
                : message.strip().lines().findFirst().orElse("").stripTrailing();
    }
}
