package dev.semel.postgres;

/** The contract on the oldest version that is supported. */
class OldestPostgresStoreContractTest extends PostgresStoreContractTest {

    @Override
    Postgres server() {
        return Postgres.OLDEST;
    }
}
