package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.json.Fingerprint;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Time;
import dev.semel.store.admin.Sweeper;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyRecord;
import java.sql.SQLException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Fencing tokens of a key rise with the database's clock, without a sequence that all keys share. */
class FencingTokensTest {

    private final DataSource database = Postgres.NEWEST.usedDatabase();
    private final PostgresOnceStore store =
            PostgresOnceStore.open(database, PostgresSettings.DEFAULTS.withoutMigration());
    private final IdempotencyKey key = Stored.key("ann", "k");
    private final AtomicInteger commits = new AtomicInteger();

    @AfterEach
    void giveBack() {
        store.close();
        Postgres.NEWEST.giveBack(database);
    }

    private long start() {
        CommitResult result =
                store.compareAndSet("c" + commits.incrementAndGet(), Stored.completed(key, "tx", Quota.NONE));
        return Objects.requireNonNull(((CommitResult.Applied) result).record()).fencingToken();
    }

    private long stored() {
        IdempotencyRecord record = store.find(key).record();
        return Objects.requireNonNull(record).fencingToken();
    }

    @Test
    void token_isTheDatabasesClockInMicroseconds_andRisesAfterAPurgeAndAnErasure() throws SQLException {
        long before = Long.parseLong(Objects.requireNonNull(
                Postgres.ask(database, "select (extract(epoch from clock_timestamp()) * 1000000)::int8")));
        long first = start();
        assertThat(first).isGreaterThanOrEqualTo(before).isEqualTo(stored());

        Postgres.execute(
                database, "update idempotency_records set deadline = now() - interval '1 hour', purge_at = now()");
        new Sweeper(store.admin(), Time.system()).sweep();
        assertThat(store.find(key).record()).isNull();
        long second = start();
        assertThat(second).isGreaterThan(first);

        store.admin().erase("ann", false);
        assertThat(start()).isGreaterThan(second);
    }

    /** Like after the clock was set back. */
    @Test
    void token_isOneMoreThanTheOneBefore_ifThatIsAheadOfTheClock() throws SQLException {
        start();
        long ahead = Long.MAX_VALUE / 2;
        Postgres.execute(
                database,
                "update idempotency_records set fencing_token = " + ahead + ", deadline = now() - interval '1 hour'");
        CallerTransactions.on(store).run(Call.of(key, Fingerprint.ofJson("1")), connection -> Response.of("again"));
        assertThat(stored()).isEqualTo(ahead + 1);
        Postgres.execute(database, "update idempotency_records set deadline = now() - interval '1 hour'");
        Once.on(store)
                .leased(Call.of(key, Fingerprint.ofJson("1")), IfAbandoned.RERUN, lease -> Response.of("and again"));
        assertThat(stored()).isEqualTo(ahead + 2);
    }
}
