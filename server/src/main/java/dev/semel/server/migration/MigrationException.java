package dev.semel.server.migration;

/** A migration cannot start or go on. The message is for the user. */
public final class MigrationException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    MigrationException(String message) {
        super(message);
    }
}
