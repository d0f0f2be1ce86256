package dev.semel.bench.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.bench.Payments;
import dev.semel.bench.PostgresServer;
import dev.semel.once.Call;
import java.math.BigInteger;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;

/**
 * Fills a database with payments by plain SQL, which is much faster than calls. The rows are copies of those that one call wrote, with
 * different keys, times and users, so replays and queries find them.
 */
final class Filling {

    /** The schema of the store's tables. */
    static final String SCHEMA = "semel";

    /** The table of idempotency records. */
    static final String RECORDS = "idempotency_records";

    private static final long CHUNK = 500_000;

    private static final String KEY = "'04XhX' || lpad(n::text, 12, '0')";
    private static final String USER = "'user-' || " + Payments.USERS + " + n * 7919 % " + Payments.USERS;
    private static final String CUSTOMER = "substr(md5((n / " + Payments.PER_CUSTOMER + ")::text), 1, 16)";
    private static final String ID = "encode(substr(sha256('once'::bytea || '\\x00' || convert_to(" + USER + ", 'UTF8')"
            + " || '\\x00' || convert_to(s.endpoint, 'UTF8') || '\\x00' || convert_to(" + KEY
            + ", 'UTF8')), 1, 16), 'hex')::uuid";
    private static final String CREATED_AT = "now() - interval '1 hour' + n * interval '50 microseconds'";
    private static final String COMMIT_ID = "'commit-' || lpad(n::text, 15, '0')";
    private static final String DOCUMENT_KEY = CUSTOMER + " || '-' || " + KEY;
    private static final String INDEX_KEY = KEY + " || '-' || " + CUSTOMER;

    /** Expressions for the columns that differ from call to call, by table. */
    private static final Map<String, Map<String, String>> DIFFERENT = Map.of(
            RECORDS,
            Map.of(
                    "id", ID,
                    "idempotency_key", KEY,
                    "client_tx_id", KEY,
                    "user_id", USER,
                    "created_at", CREATED_AT,
                    "deadline", CREATED_AT + " + interval '1 day'",
                    "purge_at", CREATED_AT + " + interval '31 days'",
                    "commit_id", COMMIT_ID,
                    "fencing_token", "n + 1"),
            "documents",
            Map.of(
                    "key", DOCUMENT_KEY,
                    "created_at", CREATED_AT,
                    "updated_at", CREATED_AT,
                    "commit_id", COMMIT_ID,
                    "index_entries",
                            "replace(s.index_entries, (select index_key from sample_index_entries), " + INDEX_KEY
                                    + ")"),
            "index_entries",
            Map.of("index_key", INDEX_KEY, "key", DOCUMENT_KEY));

    private final PostgresServer server;
    private final String database;

    private Filling(PostgresServer server, String database) {
        this.server = server;
        this.database = database;
    }

    /** Creates a database, with one payment as a sample. */
    static Filling begin(PostgresServer server, String database) throws SQLException {
        server.newDatabase(database);
        try (PaymentDatabase sample = PaymentDatabase.open(server, database, 1)) {
            sample.payments().pay();
        }
        for (String table : DIFFERENT.keySet()) {
            server.execute(
                    database,
                    String.format(
                            Locale.ROOT,
                            "create table sample_%2$s as select * from %1$s.%2$s; truncate %1$s.%2$s",
                            SCHEMA,
                            table));
        }
        return new Filling(server, database);
    }

    /**
     * Adds the payments with the numbers from {@code from} to {@code to}, exclusive.
     *
     * @param progress receives the number of payments after each step
     */
    void fill(long from, long to, LongConsumer progress) throws SQLException {
        try (Connection connection = server.connect(database);
                Statement statement = connection.createStatement()) {
            statement.execute("set synchronous_commit = off");
            for (long first = from; first < to; first += CHUNK) {
                long next = Math.min(to, first + CHUNK);
                for (String table : DIFFERENT.keySet()) {
                    statement.execute(insert(table, first, next - 1));
                }
                progress.accept(next);
            }
            for (String table : DIFFERENT.keySet()) {
                statement.execute("vacuum (analyze) " + SCHEMA + "." + table);
            }
            statement.execute("checkpoint");
        }
    }

    private String insert(String table, long first, long last) throws SQLException {
        Map<String, String> different = Objects.requireNonNull(DIFFERENT.get(table));
        List<String> columns = server.query(
                database,
                "select column_name from information_schema.columns where table_schema = '" + SCHEMA
                        + "' and table_name = '" + table + "' and is_generated = 'NEVER' order by ordinal_position");
        return String.format(
                Locale.ROOT,
                "insert into %s.%s (%s) select %s from sample_%s s cross join generate_series(%d::int8, %d::int8) n",
                SCHEMA,
                table,
                String.join(", ", columns),
                columns.stream()
                        .map(column -> different.getOrDefault(column, "s." + column))
                        .collect(Collectors.joining(", ")),
                table,
                first,
                last);
    }

    /** Returns the size of the database in bytes. */
    long bytes() throws SQLException {
        return Long.parseLong(server.query(database, "select pg_database_size(current_database())")
                .get(0));
    }

    /** Returns the call that made a payment. */
    static Call call(long number) {
        int user = (int) (Payments.USERS + number * 7919 % Payments.USERS);
        return Payments.call(user, String.format(Locale.ROOT, "04XhX%012d", number));
    }

    /** Returns the customer of a payment. */
    static String customer(long number) {
        byte[] text = Long.toString(number / Payments.PER_CUSTOMER).getBytes(UTF_8);
        try {
            byte[] hash = MessageDigest.getInstance("MD5").digest(text);
            return String.format("%032x", new BigInteger(1, hash)).substring(0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has MD5", e);
        }
    }
}
