package dev.semel.postgres;

import dev.semel.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;

/** Brings the tables of a database to the state that this release knows. Servers that start at once wait for each other. */
final class Schema {

    /** The history of our tables, apart from that of an application's own. */
    static final String HISTORY = "semel_schema_history";

    private static final String MIGRATIONS = "classpath:dev/semel/postgres/migrations";

    /** Number of the advisory lock that is held by who migrates. */
    private static final long LOCK = RowId.ofUser("").lock();

    private Schema() {}

    /** @throws StoreException if that fails, or if a newer release has been there */
    static void migrate(DataSource source) {
        try (Connection waiting = source.getConnection()) {
            waiting.setAutoCommit(false);
            try (Statement statement = waiting.createStatement()) {
                statement.execute("select pg_advisory_xact_lock(" + LOCK + ")");
                migrateAlone(source);
            } finally {
                waiting.rollback();
            }
        } catch (SQLException e) {
            throw Session.failed(e);
        }
    }

    /** Flyway waits by itself for who migrates, but not for who begins a history. */
    private static void migrateAlone(DataSource source) {
        try {
            Flyway flyway = Flyway.configure(Schema.class.getClassLoader())
                    .dataSource(source)
                    .locations(MIGRATIONS)
                    .table(HISTORY)
                    .baselineOnMigrate(true) // there may be tables of an application
                    .baselineVersion("0")
                    .load();
            refuseIfNewer(flyway.info().all());
            flyway.migrate();
            refuseIfNewer(flyway.info().all());
        } catch (FlywayException e) {
            throw StoreException.unavailable("Cannot prepare the database's tables: " + firstLine(e), e);
        }
    }

    private static void refuseIfNewer(MigrationInfo[] migrations) {
        String known = "none";
        for (MigrationInfo migration : migrations) {
            if (migration.getState().isResolved()) {
                known = String.valueOf(migration.getVersion());
            }
        }
        for (MigrationInfo migration : migrations) {
            if (migration.getState().isApplied()
                    && !migration.getState().isResolved()
                    && !migration.getVersion().toString().equals("0")) {
                throw StoreException.refused("The database's tables are of version " + migration.getVersion()
                        + ", this release knows them up to " + known + ": use a newer one");
            }
        }
    }

    private static String firstLine(FlywayException e) {
        return String.valueOf(e.getMessage()).strip().lines().findFirst().orElse("");
    }
}
