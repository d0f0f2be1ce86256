package dev.semel.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.json.Json;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.Commit.IndexEntry;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Converts between documents and rows of their table. */
final class DocumentRow {

    /** The columns that {@link #read} reads, of a table with the alias d. */
    static final String COLUMNS =
            "d.version, d.created_at, d.updated_at, d.expires_at, d.data, d.commit_id, d.sequence";

    /** Placeholder for the commit sequence number in the column of index entries. */
    static final char SEQUENCE = 1;

    /** The columns of {@link #values}. */
    static final RowSource WRITTEN = RowSource.of(
            "collection text",
            "owner text",
            "key text",
            "version int8",
            "created_at timestamptz",
            "updated_at timestamptz",
            "expires_at timestamptz",
            "commit_id text",
            "data text",
            "sequence int8",
            "index_entries text");

    private DocumentRow() {}

    /** Returns the row of a document that is written. */
    static List<@Nullable Object> values(DocumentWrite.Put put) {
        DocumentId id = put.id();
        Document document = put.document();
        return RowSource.row(
                id.collection(),
                id.owner(),
                id.key(),
                document.version(),
                document.createdAt(),
                document.updatedAt(),
                document.expiresAt(),
                document.commitId(),
                document.data().text(),
                document.sequence(),
                entries(put));
    }

    /** Reads a document whose columns start at a given one. */
    static Document read(DocumentId id, ResultSet row, int first) throws SQLException {
        return new Document(
                id,
                row.getLong(first),
                IdempotencyRow.instant(row, first + 1),
                IdempotencyRow.instant(row, first + 2),
                IdempotencyRow.optionalInstant(row, first + 3),
                Json.ofChecked(row.getString(first + 4).getBytes(UTF_8)),
                row.getString(first + 5),
                row.getLong(first + 6));
    }

    /** Returns the index entries of a document as text, for the sweep that deletes it after it has expired; null if it has none. */
    static @Nullable String entries(DocumentWrite.Put put) {
        if (put.indexEntries().isEmpty()) {
            return null;
        }
        StringBuilder text = new StringBuilder();
        for (IndexEntry entry : put.indexEntries()) {
            text.append(entry.index()).append('\t').append(entry.key());
            if (entry.sequenced()) {
                text.append(SEQUENCE);
            }
            text.append('\n');
        }
        return text.toString();
    }
}
