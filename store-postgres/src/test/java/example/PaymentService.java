package example;

import dev.semel.json.Fingerprint;
import dev.semel.once.Call;
import dev.semel.once.Outcome;
import dev.semel.postgres.CallerTransactions;
import dev.semel.postgres.PostgresSettings;
import dev.semel.postgres.PostgresStore;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.Response;
import java.sql.PreparedStatement;
import java.time.Duration;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A service that takes each payment once. Its main method takes payments and prints their outcomes. */
public final class PaymentService {

    // page: service
    private final CallerTransactions transactions;

    PaymentService(DataSource source) {
        transactions = CallerTransactions.on(PostgresStore.open(source, PostgresSettings.DEFAULTS));
    }

    Outcome pay(String user, String key, long cents) {
        Call call = Call.of(
                new IdempotencyKey(user, "POST /payments", key), Fingerprint.ofJson("{\"cents\":" + cents + "}"));
        return transactions.run(call.waiting(Duration.ofSeconds(5)), connection -> {
            try (PreparedStatement insert =
                    connection.prepareStatement("insert into payments (payer, cents) values (?, ?)")) {
                insert.setString(1, user);
                insert.setLong(2, cents);
                insert.executeUpdate();
            }
            return Response.of("{\"paid\":" + cents + "}");
        });
    }
    // end

    /**
     * Takes payments of user ann.
     *
     * @param arguments the database, then the key of each payment, which is also its cents
     */
    public static void main(String[] arguments) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(arguments[0]);
        PaymentService service = new PaymentService(source);
        for (int i = 1; i < arguments.length; i++) {
            Outcome outcome = service.pay("ann", arguments[i], Long.parseLong(arguments[i]));
            System.out.println(arguments[i] + " " + outcome.getClass().getSimpleName());
        }
    }
}
