package dev.semel.outbox;

import dev.semel.postgres.Postgres;
import dev.semel.postgres.PostgresSettings;
import dev.semel.postgres.PostgresStore;
import dev.semel.store.spi.OrderedStore;
import java.time.InstantSource;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class PostgresOutboxTest extends OutboxContract {

    private static PostgresStore store;

    @BeforeAll
    static void openForAll() {
        DataSource database = Postgres.NEWEST.database();
        store = PostgresStore.open(database, PostgresSettings.DEFAULTS.withoutMigration());
    }

    @AfterAll
    static void closeForAll() {
        store.close();
    }

    @Override
    OrderedStore open(InstantSource clock) {
        return store;
    }

    @Override
    void close(OrderedStore opened) {
        // the other tests use it, too
    }
}
