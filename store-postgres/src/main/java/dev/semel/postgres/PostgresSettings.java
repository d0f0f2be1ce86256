package dev.semel.postgres;

import java.time.Duration;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * How a database is used. Made from {@link #DEFAULTS} by naming what differs.
 *
 * @param schema the schema that holds the tables: up to 63 of {@code a-z}, {@code 0-9} and {@code _}, beginning with no digit
 * @param migrate whether opening the store creates the schema and its tables, and brings them to the version of this release; if
 *     not, they have to be there
 * @param lockTimeout how long a commit waits for another that has its rows
 * @param statementTimeout how long a statement may take
 */
public record PostgresSettings(String schema, boolean migrate, Duration lockTimeout, Duration statementTimeout) {

    private static final Pattern SCHEMA = Pattern.compile("(?!pg_)[a-z_][a-z0-9_]{0,62}");

    /** The schema {@code semel}, which is created; 5 seconds for a lock, 15 for a statement. */
    public static final PostgresSettings DEFAULTS =
            new PostgresSettings("semel", true, Duration.ofSeconds(5), Duration.ofSeconds(15));

    /** @throws IllegalArgumentException if the schema's name is malformed, or a time is not between a millisecond and a day */
    public PostgresSettings {
        if (!SCHEMA.matcher(Objects.requireNonNull(schema, "schema")).matches()) {
            throw new IllegalArgumentException(
                    "schema has to be 1 to 63 of a-z, 0-9 and _, beginning with neither a digit nor pg_, not "
                            + schema);
        }
        check("lockTimeout", lockTimeout);
        check("statementTimeout", statementTimeout);
    }

    private static void check(String name, Duration time) {
        if (time.toMillis() < 1 || time.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException(name + " has to be between a millisecond and a day, not " + time);
        }
    }

    /** The same in another schema, such as {@code public}. */
    public PostgresSettings withSchema(String schema) {
        return new PostgresSettings(schema, migrate, lockTimeout, statementTimeout);
    }

    /** The same for a database whose tables are created and migrated elsewhere. */
    public PostgresSettings withoutMigration() {
        return new PostgresSettings(schema, false, lockTimeout, statementTimeout);
    }

    /** The same with other time-outs. */
    public PostgresSettings withTimeouts(Duration lockTimeout, Duration statementTimeout) {
        return new PostgresSettings(schema, migrate, lockTimeout, statementTimeout);
    }
}
