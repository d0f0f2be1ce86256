package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.json.Fingerprint;
import dev.semel.once.Call;
import dev.semel.once.Outcome;
import dev.semel.store.DocumentId;
import dev.semel.store.Response;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.CommitResult;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Transactions of the store are READ COMMITTED, whatever the default of the database is. */
class IsolationTest {

    private static final int ROUNDS = 60;

    private final PGSimpleDataSource database = Postgres.NEWEST.database();

    private void setDefault(String isolation) throws SQLException {
        Postgres.execute(
                database,
                "alter database " + database.getDatabaseName() + " set default_transaction_isolation to '" + isolation
                        + "'");
    }

    private PostgresStore open() {
        return PostgresStore.open(database, PostgresSettings.DEFAULTS.withoutMigration());
    }

    @ParameterizedTest
    @ValueSource(strings = {"repeatable read", "serializable"})
    void storeOpens_inADatabaseWithAnotherDefault(String isolation) throws SQLException {
        setDefault(isolation);
        try (PostgresStore store = open()) {
            assertThat(store.commit(Stored.commit("a", Stored.key("ann", "k"), new DocumentId("things", "", "d"))))
                    .isInstanceOf(CommitResult.Applied.class);
            Call call = Call.of(Stored.key("ann", "paid"), Fingerprint.ofJson("1"));
            for (Class<?> outcome : List.of(Outcome.Executed.class, Outcome.Replayed.class)) {
                assertThat(CallerTransactions.on(store).run(call, connection -> {
                            try (var rows = connection.createStatement().executeQuery("show transaction_isolation")) {
                                rows.next();
                                return Response.of(rows.getString(1));
                            }
                        }))
                        .isInstanceOf(outcome)
                        .extracting(Outcome::orElseThrow)
                        .as("the operation keeps the level of its connection")
                        .isEqualTo(Response.of(isolation));
            }
        }
        assertThat(Postgres.ask(database, "show transaction_isolation")).isEqualTo(isolation);
    }

    /** Each of two commits reads both documents and writes one. */
    @ParameterizedTest
    @ValueSource(strings = {"repeatable read", "serializable"})
    void defaultThatChangesWhileStoresAreOpen_allowsNoWriteSkew(String isolation) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (PostgresStore one = open();
                PostgresStore other = open()) {
            setDefault(isolation);
            for (int round = 0; round < ROUNDS; round++) {
                DocumentId a = new DocumentId("things", "", "a" + round);
                DocumentId b = new DocumentId("things", "", "b" + round);
                one.commit(Stored.write("setup-a" + round, a, null));
                one.commit(Stored.write("setup-b" + round, b, null));
                Map<DocumentId, String> unchanged = Map.of(a, "setup-a" + round, b, "setup-b" + round);
                CyclicBarrier together = new CyclicBarrier(2);
                List<Future<CommitResult>> results = new ArrayList<>();
                for (PostgresStore store : List.of(one, other)) {
                    DocumentId written = store == one ? a : b;
                    String id = "write-" + written.key();
                    Commit commit = new Commit(
                            id,
                            null,
                            unchanged,
                            List.of(new DocumentWrite.Put(Stored.document(written, id, null), List.of())));
                    results.add(threads.submit(() -> {
                        together.await();
                        return store.commit(commit);
                    }));
                }
                int applied = 0;
                for (Future<CommitResult> result : results) {
                    applied += result.get() instanceof CommitResult.Applied ? 1 : 0;
                }
                assertThat(applied).isEqualTo(1);
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
