package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.postgres.Postgres;
import dev.semel.server.settings.RawSettings;
import dev.semel.server.settings.ServerSettings;
import dev.semel.server.settings.Setting;
import dev.semel.store.DocumentId;
import dev.semel.store.Time;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class PostgresStorageTest {

    private static Storage open(PGSimpleDataSource database) {
        RawSettings given = new RawSettings(Map.of(Setting.STORE, Postgres.url(database)), null, Map.of());
        return Storage.open(
                ServerSettings.of(given, Map.of(), InstantSource.system()).store(), Time.system());
    }

    @Test
    void databaseWithStricterDefaultIsolation_isUsable() throws Exception {
        PGSimpleDataSource database = Postgres.NEWEST.emptyDatabase();
        Postgres.execute(
                database,
                "alter database " + database.getDatabaseName()
                        + " set default_transaction_isolation to 'repeatable read'");
        Storage storage = open(database);
        assertThat(storage.store().read(new DocumentId("things", "", "a"))).isEmpty();
        storage.close();
    }

    @Test
    void closedStorage_leavesNoConnection() throws Exception {
        PGSimpleDataSource database = Postgres.NEWEST.database();
        Storage storage = open(database);
        storage.admin().sweep("");
        storage.close();
        Postgres.assertNobodyConnected(database);
    }
}
