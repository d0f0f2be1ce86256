package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.StoreException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.PreferQueryMode;

/** Databases and drivers that are rejected when the store is opened. */
class UnfitDatabasesTest {

    private static void assertRefused(PGSimpleDataSource source, PostgresSettings settings, String reason) {
        assertThatThrownBy(() -> PostgresStore.open(source, settings))
                .isInstanceOf(StoreException.class)
                .hasMessage("The database cannot be used. " + reason);
    }

    @Test
    void encodingThatLacksCharacters_isRejected() throws SQLException {
        PGSimpleDataSource beside = Postgres.NEWEST.emptyDatabase();
        String name = beside.getDatabaseName() + "_latin";
        Postgres.execute(beside, "create database " + name + " encoding 'LATIN1' locale 'C' template template0");
        assertRefused(
                Postgres.NEWEST.source(name), PostgresSettings.DEFAULTS, "Its encoding is LATIN1, and has to be UTF8");
    }

    @Test
    void driverThatSplitsTransactions_isRejected() {
        PGSimpleDataSource source = Postgres.NEWEST.database();
        PostgresStore.open(source, PostgresSettings.DEFAULTS).close();
        String reason = "The driver sends the statements of a transaction in separate transactions:"
                + " remove its settings stringtype and preferQueryMode";
        source.setStringType("unspecified");
        assertRefused(source, PostgresSettings.DEFAULTS, reason);
        source.setStringType("varchar");
        source.setPrepareThreshold(-1);
        assertRefused(
                source,
                PostgresSettings.DEFAULTS,
                "The driver cannot send several statements together: remove its setting prepareThreshold=-1");
        source.setPrepareThreshold(1);
        source.setPreferQueryMode(PreferQueryMode.SIMPLE);
        assertRefused(source, PostgresSettings.DEFAULTS, reason);
        source.setPreferQueryMode(PreferQueryMode.EXTENDED);
        PostgresStore.open(source, PostgresSettings.DEFAULTS).close();
    }

    @Test
    void loginThatMayNotSweep_isRejected() throws SQLException {
        PGSimpleDataSource source = Postgres.NEWEST.database();
        Postgres.execute(source, "create role half login; grant semel_app to half");
        source.setUser("half");
        assertThatThrownBy(() -> PostgresStore.open(source, PostgresSettings.DEFAULTS.withoutMigration()))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("semel_service");
    }
}
