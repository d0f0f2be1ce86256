package dev.semel.postgres;

import dev.semel.store.Time;
import dev.semel.store.spi.OnceStore;
import dev.semel.testkit.StoreContract;
import dev.semel.testkit.TestSize;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;

/** The store contract on a store of idempotency records without documents. */
class PostgresOnceStoreContractTest extends StoreContract {

    private final Map<Pool, DataSource> databases = new HashMap<>();

    @Override
    protected OnceStore open(Time time) {
        DataSource database = Postgres.NEWEST.usedDatabase();
        Pool pool = new Pool(database);
        databases.put(pool, database);
        return PostgresOnceStore.open(pool, PostgresSettings.DEFAULTS.withoutMigration(), StatementListener.NONE, time);
    }

    @Override
    public int raceKeys() {
        return TestSize.of(40, 100);
    }

    @AfterEach
    void giveBackDatabases() {
        databases.forEach((pool, database) -> {
            pool.assertNoneLent();
            pool.close();
            Postgres.NEWEST.giveBack(database);
        });
    }
}
