package dev.semel.postgres;

import java.time.Duration;

/**
 * How a database is used.
 *
 * @param migrate whether the tables are made, and brought to the state that this release knows, when the store is opened; if not,
 *     they have to be there
 * @param lockTimeout how long a commit waits for another that has its rows
 * @param statementTimeout how long a statement may take
 */
public record PostgresSettings(boolean migrate, Duration lockTimeout, Duration statementTimeout) {

    /** The tables are made; 5 seconds for a lock, 15 for a statement. */
    public static final PostgresSettings DEFAULTS =
            new PostgresSettings(true, Duration.ofSeconds(5), Duration.ofSeconds(15));

    /** @throws IllegalArgumentException if a time is not between a millisecond and a day */
    public PostgresSettings {
        check("lockTimeout", lockTimeout);
        check("statementTimeout", statementTimeout);
    }

    private static void check(String name, Duration time) {
        if (time.toMillis() < 1 || time.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException(name + " has to be between a millisecond and a day, not " + time);
        }
    }

    /** The same for a database whose tables somebody else looks after. */
    public PostgresSettings withoutMigration() {
        return new PostgresSettings(false, lockTimeout, statementTimeout);
    }
}
