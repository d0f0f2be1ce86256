package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.postgres.Postgres;
import dev.semel.server.settings.Given;
import dev.semel.server.settings.ServerSettings;
import dev.semel.server.settings.Setting;
import dev.semel.testkit.ControlledTime;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class PostgresStorageTest {

    @Test
    void whatIsPastItsTime_isRemovedEveryTenMinutesUntilItIsClosed() throws Exception {
        PGSimpleDataSource database = Postgres.NEWEST.database();
        Postgres.execute(
                database,
                "insert into receipts select 'old-' || n, now() - interval '1 day' from generate_series(1, 7) n");
        Given given = new Given(Map.of(Setting.STORE, Postgres.url(database)), null, Map.of());
        ControlledTime time = new ControlledTime();
        Storage storage = Storage.open(
                ServerSettings.of(given, Map.of(), InstantSource.system()).store(), time);
        assertThat(sweeps(database)).isEqualTo("0");
        time.advance(Duration.ofMinutes(10));
        assertThat(sweeps(database)).isEqualTo("1");
        assertThat(Postgres.ask(database, "select sum(deleted_count) from cleanup_logs"))
                .isEqualTo("7");
        time.advance(Duration.ofMinutes(10));
        assertThat(sweeps(database)).isEqualTo("2");
        storage.close();
        time.advance(Duration.ofMinutes(60));
        assertThat(sweeps(database)).isEqualTo("2");
        assertThat(Postgres.ask(database, "select count(*) from pg_stat_activity where datname = current_database()"))
                .as("only the one that asks")
                .isEqualTo("1");
    }

    private static String sweeps(PGSimpleDataSource database) throws Exception {
        return String.valueOf(
                Postgres.ask(database, "select count(*) from cleanup_logs where table_name = 'receipts'"));
    }
}
