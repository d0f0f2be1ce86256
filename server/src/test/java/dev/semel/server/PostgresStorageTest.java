package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.postgres.Postgres;
import dev.semel.server.settings.Given;
import dev.semel.server.settings.ServerSettings;
import dev.semel.server.settings.Setting;
import dev.semel.store.Time;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class PostgresStorageTest {

    @Test
    void closedStorage_leavesNoConnection() throws Exception {
        PGSimpleDataSource database = Postgres.NEWEST.database();
        Given given = new Given(Map.of(Setting.STORE, Postgres.url(database)), null, Map.of());
        Storage storage = Storage.open(
                ServerSettings.of(given, Map.of(), InstantSource.system()).store(), Time.system());
        storage.store().housekeeping().sweep("");
        storage.close();
        assertThat(Postgres.ask(database, "select count(*) from pg_stat_activity where datname = current_database()"))
                .as("only the one that asks")
                .isEqualTo("1");
    }
}
