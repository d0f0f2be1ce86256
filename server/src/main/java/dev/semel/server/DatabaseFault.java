package dev.semel.server;

import dev.semel.store.StoreException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Says in a line what is wrong with a database. */
final class DatabaseFault {

    private static final String NO_CONNECTION = "08001";
    private static final String READ_ONLY = "25006";
    private static final String DISK_FULL = "53100";
    private static final String NO_CONNECTION_LEFT = "53300";

    private DatabaseFault() {}

    /** What the database or its driver said, for whoever runs the server. */
    static String message(SQLException e) {
        if (e.getCause() instanceof UnknownHostException) {
            return "there is no host " + e.getCause().getMessage();
        }
        ServerErrorMessage serverMessage = e instanceof PSQLException failure ? failure.getServerErrorMessage() : null;
        return String.valueOf(serverMessage == null ? e.getMessage() : serverMessage.getMessage());
    }

    /** Why the tables could not be used or installed: what the store reports, or else the database. */
    static String ofTables(StoreException e) {
        SQLException cause = cause(e);
        String message = String.valueOf(e.getMessage());
        return cause == null ? message.replaceFirst("^The database cannot be used\\. ", "") : message(cause);
    }

    /** What kind of fault it is, for anybody who asks; nothing of what was said. */
    static String kind(StoreException e) {
        SQLException cause = cause(e);
        String state = state(cause);
        return switch (state.length() < 2 ? "" : state.substring(0, 2)) {
            case "08" -> "The database cannot be reached";
            case "28" -> "The database does not let the server in";
            case "53" -> "The database has no space or no connection left";
            case "57" -> "The database is being stopped or started, or takes too long";
            case "3D" -> "The database is not there";
            case "42" -> "The database's tables are not as expected";
            case "25" -> "The database can only be read";
            default -> cause == null ? "The store failed; the log says why" : "The database failed; the log says why";
        };
    }

    /** The same in a word, for programs. */
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

    /** A pool that has waited for a connection in vain says no state. */
    private static String state(@Nullable SQLException cause) {
        String state = cause == null ? null : cause.getSQLState();
        return state != null ? state : cause instanceof SQLTransientConnectionException ? NO_CONNECTION : "";
    }

    /** The innermost that has a state; a pool's own says little. */
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
