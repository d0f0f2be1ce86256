package dev.semel.server;

import dev.semel.store.StoreException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Classifies database errors by SQLSTATE, and describes each in one line. */
final class DatabaseFault {

    private static final String NO_CONNECTION = "08001";
    private static final String READ_ONLY = "25006";
    private static final String DISK_FULL = "53100";
    private static final String NO_CONNECTION_LEFT = "53300";

    private DatabaseFault() {}

    /** Returns the message of the database or its driver, for the operator of the server. It may contain names of users and hosts. */
    static String message(SQLException e) {
        if (e.getCause() instanceof UnknownHostException) {
            return "there is no host " + e.getCause().getMessage();
        }
        ServerErrorMessage serverMessage = e instanceof PSQLException failure ? failure.getServerErrorMessage() : null;
        return String.valueOf(serverMessage == null ? e.getMessage() : serverMessage.getMessage());
    }

    /** Returns why the tables could not be installed or used: the database's message if there is one, otherwise the store's. */
    static String ofTables(StoreException e) {
        SQLException cause = cause(e);
        String message = String.valueOf(e.getMessage());
        return cause == null ? message.replaceFirst("^The database cannot be used\\. ", "") : message(cause);
    }

    /** Returns a description of the error for any client. It contains no part of the original message. */
    static String kind(StoreException e) {
        SQLException cause = cause(e);
        String state = state(cause);
        return switch (state.length() < 2 ? "" : state.substring(0, 2)) {
            case "08" -> "The database cannot be reached";
            case "28" -> "The database rejects the server's login";
            case "53" -> "The database is out of space or connections";
            case "57" -> "The database is starting or stopping, or a statement timed out";
            case "3D" -> "The database does not exist";
            case "42" -> "The database's tables differ from what the server expects";
            case "25" -> "The database is read-only";
            default ->
                cause == null ? "The store failed; see the server's log" : "The database failed; see the server's log";
        };
    }

    /** Returns the {@code reason} of the error in a health response. */
    static String reason(StoreException e) {
        String state = state(cause(e));
        if (state.matches("(08|28|3D|57).*") || state.equals(NO_CONNECTION_LEFT)) {
            return "unreachable";
        }
        if (state.equals(READ_ONLY)) {
            return "read_only";
        }
        return state.equals(DISK_FULL) ? "full" : "failed";
    }

    /** Whether a statement failed because its transaction was read-only. */
    static boolean isReadOnly(SQLException e) {
        return READ_ONLY.equals(e.getSQLState());
    }

    /** Returns the SQLSTATE. A pool that timed out waiting for a connection reports none. */
    private static String state(@Nullable SQLException cause) {
        String state = cause == null ? null : cause.getSQLState();
        return state != null ? state : cause instanceof SQLTransientConnectionException ? NO_CONNECTION : "";
    }

    /** Returns the innermost {@link SQLException} with an SQLSTATE: exceptions of the pool wrap it. */
    private static @Nullable SQLException cause(Throwable thrown) {
        SQLException found = null;
        int depth = 0;
        for (Throwable cause = thrown; cause != null && depth < 20; cause = cause.getCause(), depth++) {
            if (cause instanceof SQLException sql && (found == null || sql.getSQLState() != null)) {
                found = sql;
            }
        }
        return found;
    }
}
