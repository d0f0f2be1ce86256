package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Time;
import dev.semel.store.spi.DocumentStore;
import dev.semel.testkit.StoreContract;
import dev.semel.testkit.TestSize;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The store contract on the newest version, with durability on. */
class PostgresStoreContractTest extends StoreContract {

    private final Map<Pool, DataSource> databases = new HashMap<>();

    Postgres server() {
        return Postgres.NEWEST;
    }

    @Override
    protected DocumentStore open(Time time) {
        DataSource database = server().usedDatabase();
        Pool pool = new Pool(database);
        databases.put(pool, database);
        return PostgresStore.open(pool, PostgresSettings.DEFAULTS.withoutMigration(), time);
    }

    @Override
    public int raceKeys() {
        return TestSize.of(60, 200);
    }

    @AfterEach
    void giveBackDatabases() {
        databases.forEach((pool, database) -> {
            pool.assertNoneLent();
            pool.close();
            server().giveBack(database);
        });
    }

    @Test
    void server_isDurable_andOfTheVersionThatIsMeant() throws SQLException {
        DataSource source = server().source("postgres");
        assertThat(Postgres.ask(source, "show fsync")).isEqualTo("on");
        assertThat(Postgres.ask(source, "show synchronous_commit")).isEqualTo("on");
        assertThat(Postgres.ask(source, "show full_page_writes")).isEqualTo("on");
        assertThat(Postgres.ask(source, "show server_version")).startsWith(server().version() + ".");
    }
}
