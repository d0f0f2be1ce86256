package dev.semel.bench.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.zaxxer.hikari.HikariDataSource;
import dev.dbos.transact.DBOS;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.context.WorkflowOptions;
import dev.dbos.transact.workflow.Workflow;
import dev.semel.bench.Payments;
import dev.semel.bench.PostgresServer;
import dev.semel.id.IdSchemes;
import java.sql.SQLException;

/** DBOS Java: runs a workflow with one step that returns the response of a payment. */
final class DbosPeer implements AutoCloseable {

    /** The interface of the workflow. */
    public interface Paying {
        String pay();
    }

    /** The implementation of the workflow. */
    public static final class Payment implements Paying {

        private static final String RESPONSE = new String(Payments.payload(), UTF_8);

        private final DBOS dbos;

        Payment(DBOS dbos) {
            this.dbos = dbos;
        }

        @Workflow(name = "pay")
        @Override
        public String pay() {
            return dbos.runStep(() -> RESPONSE, "record");
        }
    }

    private static final String DATABASE = "dbos";

    private final HikariDataSource pool;
    private final DBOS dbos;
    private final Paying paying;

    private DbosPeer(HikariDataSource pool) {
        this.pool = pool;
        this.dbos = new DBOS(DBOSConfig.defaults("semel-bench")
                .withDataSource(pool)
                .withAppVersion("1")
                .withMigrate(true));
        this.paying = dbos.registerProxy(Paying.class, new Payment(dbos));
        dbos.launch();
    }

    /** Starts DBOS in a new database, with one connection per caller. */
    static DbosPeer open(PostgresServer server, int callers) throws SQLException {
        server.newDatabase(DATABASE);
        return new DbosPeer(server.pool(DATABASE, callers));
    }

    /** Runs a new workflow and returns its id. */
    String pay() {
        String id = IdSchemes.TID62.mint();
        pay(id);
        return id;
    }

    /** Runs a workflow, or gets its result if it has already run. */
    void pay(String id) {
        try (WorkflowOptions.Guard context = new WorkflowOptions(id).setContext()) {
            if (!paying.pay().equals(Payment.RESPONSE)) {
                throw new IllegalStateException("Another response, for " + context);
            }
        }
    }

    @Override
    public void close() {
        dbos.close();
        pool.close();
    }
}
