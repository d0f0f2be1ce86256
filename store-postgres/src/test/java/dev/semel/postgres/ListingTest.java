package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.admin.StoreAdmin.KeyPage;
import dev.semel.store.admin.StoreAdmin.KeyQuery;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.KeyStatus;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Lists of more keys than a page examines. */
class ListingTest {

    private final DataSource database = Postgres.NEWEST.usedDatabase();
    private final AtomicReference<Runnable> betweenStatements = new AtomicReference<>(() -> {});
    private final Pool pool = new Pool(
            database, connection -> betweenStatements.getAndSet(() -> {}).run());
    private final PostgresStore store = PostgresStore.open(pool, PostgresSettings.DEFAULTS.withoutMigration());

    @BeforeEach
    void fill() throws Exception {
        Postgres.execute(
                database,
                "insert into idempotency_records (id, idempotency_key, client_tx_id, user_id, endpoint, payload_hash, status,"
                        + " created_at, deadline, attempts, commit_id, fencing_token) select gen_random_uuid(), 'k' || n, 'tx-' || n,"
                        + " 'user-' || n % 10, 'POST /' || n % 2, decode(repeat('0a', 32), 'hex'), case n when 25000 then 4 else 3 end,"
                        + " timestamptz '2026-01-01' + n * interval '1 second', case n when 25000 then null else timestamptz '2099-01-01' end,"
                        + " 1, 'a', n from generate_series(1, 25000) n; analyze idempotency_records");
    }

    @AfterEach
    void close() {
        assertThat(pool.lent()).isZero();
        pool.close();
        Postgres.NEWEST.giveBack(database);
    }

    private static List<String> keys(KeyPage page) {
        return page.records().stream().map(record -> record.key().key()).toList();
    }

    private List<String> all(KeyQuery query) {
        List<String> found = new ArrayList<>();
        Optional<String> next = Optional.empty();
        do {
            KeyPage page = store.admin().list(query.after(next.orElse(null)));
            found.addAll(keys(page));
            next = page.next();
        } while (next.isPresent());
        return found;
    }

    @Test
    void whatWaitsForAnOperator_isFoundAtOnce_howeverManyHaveFailed() {
        KeyQuery query = KeyQuery.all(50);
        assertThat(keys(store.admin().list(query.in(KeyStatus.UNKNOWN)))).containsExactly("k25000");
        assertThat(store.admin().list(query.in(KeyStatus.PROCESSING)))
                .extracting(KeyPage::records, KeyPage::next)
                .containsExactly(List.<IdempotencyRecord>of(), Optional.empty());
        assertThat(keys(store.admin().list(query.in(KeyStatus.UNKNOWN).ofUser("user-0"))))
                .containsExactly("k25000");
    }

    @Test
    void keysOfAUser_areFoundAtOnce() {
        KeyQuery query = KeyQuery.all(50).ofUser("user-9");
        assertThat(keys(store.admin().list(query.beginningWith("k2499").ofEndpoint("POST /1"))))
                .containsExactly("k2499", "k24999");
        assertThat(keys(store.admin().list(query.ofClientTx("tx-24999")))).containsExactly("k24999");
        assertThat(keys(store.admin().list(query.createdBefore(Instant.parse("2026-01-01T00:00:20Z")))))
                .containsExactly("k9", "k19");
        assertThat(all(KeyQuery.all(1).ofUser("user-9").createdBefore(Instant.parse("2026-01-01T00:00:30Z"))))
                .containsExactly("k9", "k19", "k29");
        assertThat(all(KeyQuery.all(1000).ofEndpoint("POST /1").ofUser("user-3")))
                .hasSize(2_500);
    }

    /** A user with more keys than a page examines. */
    @Test
    void transactionOfAUser_isFoundNewestFirst() throws SQLException {
        Postgres.execute(
                database,
                "update idempotency_records set user_id = 'user-1';"
                        + " update idempotency_records set client_tx_id = 'sent'"
                        + " where idempotency_key in ('k2', 'k24990', 'k24998', 'k24999')");
        KeyQuery sent = KeyQuery.all(50).ofUser("user-1").ofClientTx("sent");
        assertThat(keys(store.admin().list(sent))).containsExactly("k24999", "k24998", "k24990");
        assertThat(all(sent)).containsExactly("k24999", "k24998", "k24990", "k2");
        assertThat(all(KeyQuery.all(1).ofUser("user-1").ofClientTx("sent")))
                .containsExactly("k24999", "k24998", "k24990", "k2");
    }

    @Test
    void keysOfWhomever_areFoundPageByPage() {
        KeyQuery query = KeyQuery.all(50);
        assertThat(all(query.beginningWith("k2499")))
                .containsExactlyInAnyOrder(
                        "k2499", "k24990", "k24991", "k24992", "k24993", "k24994", "k24995", "k24996", "k24997",
                        "k24998", "k24999");
        assertThat(all(query.ofClientTx("tx-24999"))).containsExactly("k24999");
        assertThat(all(query.createdBefore(Instant.parse("2026-01-01T00:00:04Z"))))
                .containsExactly("k1", "k2", "k3");
        assertThat(all(KeyQuery.all(1).createdBefore(Instant.parse("2026-01-01T00:00:04Z"))))
                .containsExactly("k1", "k2", "k3");
        assertThat(all(KeyQuery.all(2).beginningWith("k2499"))).hasSize(11).doesNotHaveDuplicates();
        assertThat(all(KeyQuery.all(1000).ofEndpoint("POST /1")))
                .hasSize(12_500)
                .doesNotHaveDuplicates()
                .allMatch(key -> key.matches("k\\d*[13579]"));
    }

    @Test
    void pages_endWhereEnoughIsExamined_andAllIsFound() {
        KeyQuery rare =
                KeyQuery.all(50).beginningWith("k2").in(KeyStatus.UNKNOWN).ofEndpoint("POST /0");
        assertThat(all(rare)).containsExactly("k25000");
        KeyQuery others = KeyQuery.all(50).beginningWith("k").in(KeyStatus.EXPIRED);
        KeyPage first = store.admin().list(others);
        assertThat(first.records()).isEmpty();
        assertThat(first.next()).isPresent();
        assertThat(all(others)).isEmpty();
    }

    /** A page ends at the last key that is examined; one that comes before it must not push it out. */
    @Test
    void forgedCursor_isRejectedBeforeTheDatabaseSeesIt() {
        String place = "\n2026-01-01T00:00:00Z\n00000000-0000-0000-0000-000000000000";
        for (String cursor : List.of("\0" + place, place, "a\rb" + place, "ann\nnever\nx", "")) {
            assertThatThrownBy(() -> store.admin().list(KeyQuery.all(1).after(cursor)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void keyThatComesWhileAPageIsLookedFor_leavesNoOtherOut() throws Exception {
        Postgres.execute(
                database,
                "update idempotency_records set deadline = timestamptz '2026-01-01' where id ="
                        + " (select id from idempotency_records order by user_id, created_at, id offset "
                        + (KeyListing.MOST_EXAMINED - 1) + " limit 1)");
        KeyQuery expired = KeyQuery.all(50).beginningWith("k").in(KeyStatus.EXPIRED);
        assertThat(all(expired)).hasSize(1);
        betweenStatements.set(
                () -> {
                    try {
                        Postgres.execute(
                                database,
                                "update idempotency_records set user_id = 'user-0' where idempotency_key = 'k9999'"); // the last key
                    } catch (SQLException e) {
                        throw new AssertionError(e);
                    }
                });
        assertThat(all(expired)).hasSize(1);
    }
}
