package dev.semel.postgres;

/** The store contract on the oldest supported version. */
class OldestPostgresStoreContractTest extends PostgresStoreContractTest {

    @Override
    Postgres server() {
        return Postgres.OLDEST;
    }
}
