package dev.semel.bench.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.bench.Payments;
import dev.semel.bench.PostgresServer;
import dev.semel.store.Time;
import dev.semel.store.admin.Sweeper;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The query plans of the store's statements, counted in the server's log, to which {@code auto_explain} writes them.
 *
 * @param indexScans number of index scans
 * @param wholeTables number of sequential scans of the store's tables
 */
record Plans(int indexScans, int wholeTables) {

    private static final Pattern INDEX = Pattern.compile("(Index|Bitmap Index)( Only)? Scan using \\w+");
    private static final Pattern WHOLE =
            Pattern.compile("Seq Scan on (idempotency_records|documents|index_entries|commit_log)");
    private static final List<String> SETTINGS = List.of(
            "session_preload_libraries = 'auto_explain'",
            "auto_explain.log_min_duration = 0",
            "auto_explain.log_nested_statements = on");

    /** Runs new payments, a replay, a query and a sweep in a filled database, and returns their plans. */
    static Plans of(PostgresServer server, String database, long filled) throws IOException, SQLException {
        for (String setting : SETTINGS) {
            server.execute(PostgresServer.POSTGRES, "alter database " + database + " set " + setting);
        }
        long before = Files.size(server.log());
        try (PaymentDatabase watched = PaymentDatabase.open(server, database, 1)) {
            watched.payments().pay();
            watched.payments().retry(Filling.call(filled / 2));
            watched.payments().list(Filling.customer(0), Math.min(filled, Payments.PER_CUSTOMER));
            watched.insertOnce();
            watched.insertOnceEffectFirst();
            new Sweeper(watched.store().admin(), Time.system()).sweep();
        } finally {
            server.execute(PostgresServer.POSTGRES, "alter database " + database + " reset all");
        }
        byte[] log = Files.readAllBytes(server.log());
        String news = new String(log, (int) before, (int) (log.length - before), UTF_8);
        return new Plans(count(INDEX, news), count(WHOLE, news));
    }

    private static int count(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        int count = 0;
        while (matcher.find()) {
            count++;
        }
        return count;
    }
}
