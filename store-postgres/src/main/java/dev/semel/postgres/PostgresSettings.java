package dev.semel.postgres;

import java.time.Duration;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Settings of a PostgreSQL store. Start from {@link #DEFAULTS} and change what differs.
 *
 * @param schema the schema of the tables: 1 to 63 characters of {@code a-z}, {@code 0-9} and {@code _} that start with neither a digit
 *     nor {@code pg_}, except {@code information_schema}
 * @param migrate whether opening the store installs missing tables; otherwise a missing table is an error
 * @param lockTimeout how long a commit waits for the locks of its rows
 * @param statementTimeout how long a statement may run
 */
public record PostgresSettings(String schema, boolean migrate, Duration lockTimeout, Duration statementTimeout) {

    private static final Pattern SCHEMA = Pattern.compile("(?!pg_|information_schema$)[a-z_][a-z0-9_]{0,62}");

    /** Schema {@code semel}, installed if missing; lock timeout 5 seconds, statement timeout 15 seconds. */
    public static final PostgresSettings DEFAULTS =
            new PostgresSettings("semel", true, Duration.ofSeconds(5), Duration.ofSeconds(15));

    /** @throws IllegalArgumentException if the schema name is malformed, or a timeout is not between a millisecond and a day */
    public PostgresSettings {
        if (!SCHEMA.matcher(Objects.requireNonNull(schema, "schema")).matches()) {
            throw new IllegalArgumentException(
                    "schema has to be 1 to 63 characters of a-z, 0-9 and _ that start with neither a digit nor pg_,"
                            + " and not information_schema, which belongs to PostgreSQL: " + schema);
        }
        check("lockTimeout", lockTimeout);
        check("statementTimeout", statementTimeout);
    }

    private static void check(String name, Duration time) {
        if (time.toMillis() < 1 || time.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException(name + " has to be between a millisecond and a day, not " + time);
        }
    }

    /** Returns these settings with another schema, such as {@code public}. */
    public PostgresSettings withSchema(String schema) {
        return new PostgresSettings(schema, migrate, lockTimeout, statementTimeout);
    }

    /** Returns these settings for a store that checks its tables but does not install them. */
    public PostgresSettings withoutMigration() {
        return new PostgresSettings(schema, false, lockTimeout, statementTimeout);
    }

    /** Returns these settings with other timeouts. */
    public PostgresSettings withTimeouts(Duration lockTimeout, Duration statementTimeout) {
        return new PostgresSettings(schema, migrate, lockTimeout, statementTimeout);
    }
}
