package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.once.Outcome;
import dev.semel.store.Response;
import dev.semel.store.spi.CallerTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Operations that end the transaction that they were given. */
class EndedTransactionTest extends CallerTransactionsFixture {

    @Test
    void hostileOperation_thatEndsTheTransactionByTheConnection_isRejected() throws SQLException {
        for (Form form : Form.values()) {
            AtomicInteger refused = new AtomicInteger();
            Connection[] kept = new Connection[1];
            run(form, call("k-" + form), connection -> {
                kept[0] = connection;
                pay(connection, "k-" + form);
                for (Ending ending : Ending.values()) {
                    assertThatThrownBy(() -> ending.end(connection))
                            .hasMessageContaining("must not end its transaction");
                    refused.incrementAndGet();
                }
                return Response.of("done");
            });
            assertThat(refused.get()).isEqualTo(Ending.values().length);
            assertThat(payments("k-" + form)).isEqualTo(1);
            assertThatThrownBy(() -> pay(kept[0], "late")).hasMessageContaining("cannot be used any more");
        }
    }

    /** Calls that would end the transaction. */
    private enum Ending {
        COMMIT,
        ROLLBACK,
        CLOSE,
        COMMIT_BY_ITSELF,
        ABORT;

        void end(Connection connection) throws SQLException {
            switch (this) {
                case COMMIT -> connection.commit();
                case ROLLBACK -> connection.rollback();
                case CLOSE -> connection.close();
                case COMMIT_BY_ITSELF -> connection.setAutoCommit(true);
                case ABORT -> connection.abort(Runnable::run);
            }
        }
    }

    /** What the operation committed stays, and the operation is not run again. */
    @ParameterizedTest
    @EnumSource(names = {"CLAIMED", "JOINED"})
    void hostileOperation_thatCommitsByAStatement_isReported_andNotRunAgain(Form form) throws SQLException {
        int number = 0;
        for (boolean throwing : new boolean[] {false, true}) {
            for (boolean refusing : new boolean[] {false, true}) {
                String key = "k" + number++;
                assertThatThrownBy(() -> run(form, call(key), connection -> {
                            pay(connection, key);
                            execute(connection, "commit");
                            if (throwing) {
                                throw new IllegalStateException("after the commit");
                            }
                            return refusing ? Response.of("no").asRefusal() : Response.of("done");
                        }))
                        .isInstanceOf(CallerTransaction.EndedException.class);
                assertThat(run(form, call(key), connection -> pay(connection, key)))
                        .isInstanceOf(Outcome.Unknown.class);
                assertThat(payments(key)).isEqualTo(1);
            }
        }
    }
}
