package dev.semel.bench.postgres;

import dev.semel.bench.Callers;
import dev.semel.bench.Payments;
import dev.semel.bench.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The disk space of a key.
 *
 * @param keys number of calls that were made
 * @param tables the tables in which each call writes a row; the first is that of idempotency records
 */
record Footprint(long keys, List<Table> tables) {

    private static final int CALLERS = 32;
    private static final String DATABASE = "footprint";

    /**
     * A table in which each call writes a row.
     *
     * @param bytes bytes of a row, including free space of pages
     * @param indexBytes bytes of its index entries
     * @param indexes number of indexes of the table
     * @param indexEntries average number of index entries of a row
     */
    record Table(String name, double bytes, double indexBytes, int indexes, double indexEntries) {

        double allBytes() {
            return bytes + indexBytes;
        }
    }

    /** Makes calls in a new database and measures its tables. */
    static Footprint measure(PostgresServer server, long keys) throws SQLException {
        server.newDatabase(DATABASE);
        try {
            try (PaymentDatabase database = PaymentDatabase.open(server, DATABASE, CALLERS)) {
                Callers.forEach(CALLERS, 0, keys, number -> database.payments().pay());
            }
            server.execute(DATABASE, "vacuum (analyze)");
            return new Footprint(keys, tables(server, keys));
        } finally {
            server.dropDatabase(DATABASE);
        }
    }

    /** After {@code analyze}, the catalog has the number of entries of each index. */
    private static List<Table> tables(PostgresServer server, long keys) throws SQLException {
        String sql = String.format(Locale.ROOT, """
                select
                  t.relname,
                  pg_table_size(t.oid),
                  pg_indexes_size(t.oid),
                  (select count(*) from pg_index i where i.indrelid = t.oid),
                  (select sum(x.reltuples) from pg_index i join pg_class x on x.oid = i.indexrelid where i.indrelid = t.oid)
                from pg_class t
                where t.relnamespace = '%s'::regnamespace and t.relkind = 'r' and t.reltuples >= %d
                order by t.relname <> '%s', t.relname
                """, Filling.SCHEMA, keys / 2, Filling.RECORDS);
        List<Table> tables = new ArrayList<>();
        try (Connection connection = server.connect(DATABASE);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                tables.add(new Table(
                        rows.getString(1),
                        rows.getDouble(2) / keys,
                        rows.getDouble(3) / keys,
                        rows.getInt(4),
                        rows.getDouble(5) / keys));
            }
        }
        return tables;
    }

    /** Returns the table of idempotency records. */
    Table records() {
        return tables.get(0);
    }

    /** Returns a summary in one line. */
    String summary() {
        return String.format(
                Locale.ROOT,
                "%,d keys with a response of %d bytes: %.0f bytes per key (table %.0f, indexes %.0f), %.2f index entries per key",
                keys,
                Payments.payload().length,
                records().allBytes(),
                records().bytes(),
                records().indexBytes(),
                records().indexEntries());
    }

    /** Returns a table for a page. */
    String markdown() {
        StringBuilder rows = new StringBuilder("""
                | table | bytes per key | in the table | in indexes | index entries per key | indexes |
                |---|---|---|---|---|---|
                """);
        for (Table table : tables) {
            rows.append(String.format(
                    Locale.ROOT,
                    "| `%s` | %.0f | %.0f | %.0f | %.2f | %d |%n",
                    table.name(),
                    table.allBytes(),
                    table.bytes(),
                    table.indexBytes(),
                    table.indexEntries(),
                    table.indexes()));
        }
        return rows.toString();
    }
}
