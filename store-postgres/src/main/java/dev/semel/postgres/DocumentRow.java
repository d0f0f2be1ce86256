package dev.semel.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.json.Json;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.DocumentWrite;
import dev.semel.store.FurtherKey;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How a document is spelled in its table. */
final class DocumentRow {

    /** What {@link #read} reads, from a table that is called d. */
    static final String COLUMNS = "d.version, d.created_at, d.updated_at, d.expires_at, d.data, d.written_by, d.place";

    /** Stands in a text of further keys where the place will be. */
    static final char PLACE = 1;

    /** What {@link #values} gives. */
    static final RowSource WRITTEN = RowSource.of(
            "collection text",
            "owner text",
            "key text",
            "version int8",
            "created_at timestamptz",
            "updated_at timestamptz",
            "expires_at timestamptz",
            "written_by text",
            "data text",
            "place int8",
            "found_by text");

    private DocumentRow() {}

    /** The row of a document that is written. */
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
                document.writtenBy(),
                document.data().text(),
                document.place(),
                foundBy(put));
    }

    /** The document whose columns begin at a given one. */
    static Document read(DocumentId id, ResultSet row, int first) throws SQLException {
        return new Document(
                id,
                row.getLong(first),
                OnceRow.instant(row, first + 1),
                OnceRow.instant(row, first + 2),
                OnceRow.optionalInstant(row, first + 3),
                Json.ofChecked(row.getString(first + 4).getBytes(UTF_8)),
                row.getString(first + 5),
                row.getLong(first + 6));
    }

    /** All further keys of a document, for whoever removes it when its time is over; null if it has none. */
    static @Nullable String foundBy(DocumentWrite.Put put) {
        if (put.furtherKeys().isEmpty()) {
            return null;
        }
        StringBuilder text = new StringBuilder();
        for (FurtherKey further : put.furtherKeys()) {
            text.append(further.name()).append('\t').append(further.key());
            if (further.placed()) {
                text.append(PLACE);
            }
            text.append('\n');
        }
        return text.toString();
    }

    static List<FurtherKey> furtherKeys(@Nullable String foundBy) {
        List<FurtherKey> keys = new ArrayList<>();
        if (foundBy != null) {
            foundBy.lines().forEach(line -> {
                int tab = line.lastIndexOf('\t');
                keys.add(new FurtherKey(line.substring(0, tab), line.substring(tab + 1)));
            });
        }
        return keys;
    }
}
