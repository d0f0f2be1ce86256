package dev.semel.postgres;

import dev.semel.store.Document;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.Commit.IndexEntry;
import dev.semel.store.spi.DocumentStore.Scan;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads and creates documents in a transaction of the application. Each is one round trip, which restores the role and the settings that it
 * has changed. If it fails, the transaction can only be rolled back, and the server restores them.
 */
final class CallerDocuments {

    private static final String ENTER = """
            select set_config('semel.previous_role', current_setting('role'), true),
            set_config('semel.previous_user', coalesce(current_setting('semel.user', true), ''), true),
            set_config('semel.previous_seqscan', current_setting('enable_seqscan'), true),
            set_config('role', 'semel_app', true), set_config('semel.user', ?, true),
            set_config('enable_seqscan', 'off', true);\s""";

    private static final String LEAVE = """
            ; select set_config('role', current_setting('semel.previous_role'), true),
            set_config('semel.user', current_setting('semel.previous_user'), true),
            set_config('enable_seqscan', current_setting('semel.previous_seqscan'), true)""";

    private static final RowSource ENTRIES = RowSource.of("index_name text", "index_key text");

    private final SqlTexts texts;

    CallerDocuments(SqlTexts texts) {
        this.texts = texts;
    }

    /** What the text depends on; the key of the cached text. */
    private record Creation(int entries) {

        /** Selects whether the document was inserted. Listeners are notified at the COMMIT. */
        String sql() {
            StringBuilder sql = new StringBuilder(ENTER)
                    .append("with created as (insert into {schema}.documents (")
                    .append(String.join(", ", DocumentRow.WRITTEN.names()))
                    .append(") ")
                    .append(DocumentRow.WRITTEN.inserted("d", 1))
                    .append(" on conflict do nothing returning collection, owner, key)");
            if (entries > 0) {
                sql.append(
                                ", entries as (insert into {schema}.index_entries as k"
                                        + " (collection, owner, key, index_name, index_key) select c.*, e.* from created c cross join ")
                        .append(ENTRIES.sql("e", entries))
                        .append(
                                " on conflict (collection, owner, index_name, index_key) do update set key = excluded.key)");
            }
            return sql.append(" select count(pg_notify('" + CommitNotifications.CHANNEL + "', '')) > 0 from created")
                    .append(LEAVE)
                    .toString();
        }
    }

    /** The key of the cached text of a scan. */
    private record Scanning(DocumentScan.Shape shape) {}

    boolean create(Connection connection, String commitId, DocumentWrite.Put put) {
        if (!put.id().owner().isEmpty() || put.needsSequence()) {
            throw new IllegalArgumentException(
                    "A document that has an owner, or needs a commit sequence number, cannot be created in a transaction of the application");
        }
        DocumentWrite.Put written = new DocumentWrite.Put(put.document().withCommitId(commitId), put.indexEntries());
        List<List<@Nullable Object>> entries = new ArrayList<>();
        for (IndexEntry entry : put.indexEntries()) {
            entries.add(RowSource.row(entry.index(), entry.key()));
        }
        Creation creation = new Creation(RowSource.shape(entries.size()));
        return run(
                connection,
                texts.get(creation, creation::sql),
                to -> {
                    to.text("");
                    DocumentRow.WRITTEN.bind(to, List.of(DocumentRow.values(written)));
                    ENTRIES.bind(to, entries);
                },
                rows -> {
                    rows.next();
                    return rows.getBoolean(1);
                });
    }

    /** @param now the time for tests; null for the database's time */
    List<Document> scan(Connection connection, Scan scan, @Nullable Instant now) {
        DocumentScan page = new DocumentScan(scan);
        String sql =
                texts.get(new Scanning(page.shape()), () -> ENTER + page.shape().sql() + LEAVE);
        return run(connection, sql, to -> page.bind(to, now), page::read);
    }

    private static <T> T run(Connection connection, String sql, Session.Binding binding, Session.Reading<T> reading) {
        try {
            if (connection.getAutoCommit()) {
                throw new IllegalArgumentException(
                        "The connection is in auto-commit mode: call setAutoCommit(false) first");
            }
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                binding.bind(new Parameters(statement));
                statement.execute();
                Session.Results results = new Session.Results(statement);
                results.next();
                ResultSet rows = results.next();
                return reading.read(rows);
            }
        } catch (SQLException e) {
            throw Session.failed(e);
        }
    }
}
