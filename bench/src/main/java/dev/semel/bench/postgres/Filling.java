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
import java.util.stream.Collectors;

/**
 * Fills a database with payments by plain SQL, much faster than calls would. Its rows are those that one call has really written, but
 * for what differs from call to call: so replays and queries find them.
 */
final class Filling {

    private static final long CHUNK = 500_000;

    private static final String KEY = "'04XhX' || lpad(n::text, 12, '0')";
    private static final String USER = "'user-' || " + Payments.USERS + " + n * 7919 % " + Payments.USERS;
    private static final String CUSTOMER = "substr(md5((n / " + Payments.OF_A_CUSTOMER + ")::text), 1, 16)";
    private static final String ID = "encode(substr(sha256('once'::bytea || '\\x00' || convert_to(" + USER + ", 'UTF8')"
            + " || '\\x00' || convert_to(s.endpoint, 'UTF8') || '\\x00' || convert_to(" + KEY
            + ", 'UTF8')), 1, 16), 'hex')::uuid";
    private static final String CREATED = "now() - interval '1 hour' + n * interval '50 microseconds'";
    private static final String ATTEMPT = "'attempt-' || lpad(n::text, 14, '0')";
    private static final String DOCUMENT = CUSTOMER + " || '-' || " + KEY;
    private static final String FURTHER = KEY + " || '-' || " + CUSTOMER;

    /** What differs from call to call, by table and column. */
    private static final Map<String, Map<String, String>> OWN = Map.of(
            "idempotency_keys",
            Map.of(
                    "id", ID,
                    "idempotency_key", KEY,
                    "client_tx_id", KEY,
                    "user_id", USER,
                    "created_at", CREATED,
                    "expires_at", CREATED + " + interval '1 day'",
                    "forgotten_at", CREATED + " + interval '31 days'",
                    "attempt_id", ATTEMPT,
                    "fence", "n + 1"),
            "documents",
            Map.of(
                    "key", DOCUMENT,
                    "created_at", CREATED,
                    "updated_at", CREATED,
                    "written_by", ATTEMPT,
                    "found_by", "split_part(s.found_by, E'\\t', 1) || E'\\t' || " + FURTHER + " || E'\\n'"),
            "further_keys",
            Map.of("further_key", FURTHER, "key", DOCUMENT));

    private final PostgresServer server;
    private final String database;

    /** How far it is. */
    interface Progress {
        void filled(long keys);
    }

    private Filling(PostgresServer server, String database) {
        this.server = server;
        this.database = database;
    }

    /** Begins to fill a new database. */
    static Filling begin(PostgresServer server, String database) throws SQLException {
        server.newDatabase(database);
        try (PaymentDatabase sample = PaymentDatabase.open(server, database, 1)) {
            sample.payments().pay();
        }
        for (String table : OWN.keySet()) {
            server.execute(
                    database, "create table sample_" + table + " as select * from " + table + "; truncate " + table);
        }
        return new Filling(server, database);
    }

    /** Adds the payments from one number to another, the last not included. */
    void fill(long from, long to, Progress progress) throws SQLException {
        try (Connection connection = server.connect(database);
                Statement statement = connection.createStatement()) {
            statement.execute("set synchronous_commit = off");
            for (long first = from; first < to; first += CHUNK) {
                long next = Math.min(to, first + CHUNK);
                for (String table : OWN.keySet()) {
                    statement.execute(insert(table, first, next - 1));
                }
                progress.filled(next);
            }
            statement.execute("select setval('semel_fences', greatest(nextval('semel_fences'), " + (to + 1) + "))");
            statement.execute("vacuum (analyze) idempotency_keys, documents, further_keys");
            statement.execute("checkpoint");
        }
    }

    private String insert(String table, long first, long last) throws SQLException {
        Map<String, String> own = OWN.getOrDefault(table, Map.of());
        List<String> columns = server.ask(
                database,
                "select column_name from information_schema.columns where table_schema = current_schema()"
                        + " and table_name = '" + table + "' and is_generated = 'NEVER' order by ordinal_position");
        return String.format(
                Locale.ROOT,
                "insert into %s (%s) select %s from sample_%s s cross join generate_series(%d::int8, %d::int8) n",
                table,
                String.join(", ", columns),
                columns.stream()
                        .map(column -> own.getOrDefault(column, "s." + column))
                        .collect(Collectors.joining(", ")),
                table,
                first,
                last);
    }

    /** Bytes of all tables and their indexes. */
    long bytes() throws SQLException {
        return Long.parseLong(server.ask(database, "select pg_database_size(current_database())")
                .get(0));
    }

    /** The call that made a payment. */
    static Call call(long number) {
        int user = (int) (Payments.USERS + number * 7919 % Payments.USERS);
        return Payments.call(user, String.format(Locale.ROOT, "04XhX%012d", number));
    }

    /** Who made it. */
    static String customer(long number) {
        byte[] text = Long.toString(number / Payments.OF_A_CUSTOMER).getBytes(UTF_8);
        try {
            byte[] hash = MessageDigest.getInstance("MD5").digest(text);
            return String.format("%032x", new BigInteger(1, hash)).substring(0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has MD5", e);
        }
    }
}
