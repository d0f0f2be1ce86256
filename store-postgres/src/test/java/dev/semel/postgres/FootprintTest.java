package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.once.Outcome;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.Time;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Measures the disk space that a key takes. */
class FootprintTest {

    private static final int KEYS = 20_000;
    private static final int MOST_BYTES = 600;

    /** Completed keys with responses of 100 bytes. */
    @Test
    void key_takesFewBytes_andThreeIndexEntries() throws Exception {
        DataSource database = Postgres.NEWEST.database();
        try (Pool pool = new Pool(database);
                PostgresStore store = PostgresStore.open(pool, PostgresSettings.DEFAULTS)) {
            fill(store);
        }
        long bytes = number(database, "select pg_total_relation_size('idempotency_records')") / KEYS;
        System.out.println(bytes + " bytes per key on disk, of which "
                + number(database, "select pg_indexes_size('idempotency_records')") / KEYS + " in indexes");
        assertThat(bytes).isLessThanOrEqualTo(MOST_BYTES);
        assertThat(number(database, "select count(*) from idempotency_records")).isEqualTo(KEYS);
        assertThat(
                        number(
                                database,
                                "select count(*) from pg_index where indrelid = 'idempotency_records'::regclass and indpred is null"))
                .isEqualTo(3);
        assertThat(number(
                        database,
                        "select coalesce(max(pg_relation_size(indexrelid)), 0) from pg_index"
                                + " where indrelid = 'idempotency_records'::regclass and indpred is not null"))
                .as("indexes that completed keys never enter hold one page, without entries")
                .isEqualTo(8192);
    }

    private static long number(DataSource database, String sql) throws SQLException {
        return Long.parseLong(String.valueOf(Postgres.ask(database, sql)));
    }

    private static void fill(PostgresStore store) throws Exception {
        Once once = new Once(store, Time.system(), OnceSettings.DEFAULTS.withQuota(Quota.NONE), OnceListener.NONE);
        byte[] body = ("{\"text\":\"" + "x".repeat(89) + "\"}").getBytes(StandardCharsets.UTF_8);
        assertThat(body).hasSize(100);
        assertThat(Json.of(new String(body, StandardCharsets.UTF_8)).length()).isEqualTo(100);
        Response response = Response.of(201, Map.of("Content-Type", "application/json"), body);
        ExecutorService threads = Executors.newFixedThreadPool(32);
        try {
            List<Future<Outcome>> calls = new ArrayList<>();
            IntStream.range(0, KEYS)
                    .forEach(n -> calls.add(threads.submit(() -> {
                        IdempotencyKey key = new IdempotencyKey(
                                "user-" + n % 1000,
                                "POST /v1/feed/posts",
                                UUID.randomUUID().toString());
                        return once.atomic(Call.of(key, Fingerprint.ofJson("{\"n\":" + n + "}")), tx -> response);
                    })));
            for (Future<Outcome> call : calls) {
                assertThat(call.get()).isInstanceOf(Outcome.Executed.class);
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
