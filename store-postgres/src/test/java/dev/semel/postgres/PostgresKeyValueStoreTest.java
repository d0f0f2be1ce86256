package dev.semel.postgres;

import dev.semel.kv.DocumentKeyValueStore;
import dev.semel.kv.KeyValueStore;
import dev.semel.testkit.ControlledTime;
import dev.semel.testkit.kv.KeyValueStoreContract;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

class PostgresKeyValueStoreTest implements KeyValueStoreContract {

    private final ControlledTime time = new ControlledTime();
    private final DataSource database = Postgres.NEWEST.usedDatabase();
    private final Pool pool = new Pool(database);
    private PostgresStore documents;

    @BeforeEach
    void open() {
        documents = PostgresStore.open(pool, PostgresSettings.DEFAULTS.withoutMigration(), time);
    }

    @AfterEach
    void close() {
        documents.close();
        pool.assertNoneLent();
        pool.close();
        Postgres.NEWEST.giveBack(database);
    }

    @Override
    public KeyValueStore keyValueStore() {
        return new DocumentKeyValueStore(documents, "textpile");
    }

    @Override
    public void advance(Duration step) {
        time.advance(step);
    }
}
