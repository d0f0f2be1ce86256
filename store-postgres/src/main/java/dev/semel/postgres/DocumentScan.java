package dev.semel.postgres;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.spi.DocumentStore.Scan;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a page of documents in key order or index order, in one statement. */
final class DocumentScan {

    private final Scan scan;
    private final boolean byIndex;

    DocumentScan(Scan scan) {
        this.scan = scan;
        this.byIndex = !scan.index().isEmpty();
    }

    List<Document> run(Session session, @Nullable Instant now) {
        Shape shape = shape();
        return session.run(
                session.texts().get(shape, () -> session.sql(Session.Role.APP, shape.sql())),
                to -> bind(to, now),
                this::read);
    }

    /** Returns what the text depends on; the key of the cached text. */
    Shape shape() {
        return new Shape(byIndex, scan.range().to().isPresent(), !scan.after().isEmpty(), scan.descending());
    }

    /** Sets the owner as the user, and then the parameters of the {@linkplain Shape#sql statement}. */
    void bind(Parameters to, @Nullable Instant now) throws SQLException {
        to.text(scan.owner()).time(now).text(scan.collection()).text(scan.owner());
        if (byIndex) {
            to.text(scan.index());
        }
        to.text(bound(scan.range().from()));
        if (scan.range().to().isPresent()) {
            to.text(bound(scan.range().to().get()));
        }
        if (!scan.after().isEmpty()) {
            to.text(bound(scan.after().getBytes(UTF_8)));
        }
        to.number(scan.limit());
    }

    /** What the text of the statement depends on. */
    record Shape(boolean byIndex, boolean hasEnd, boolean hasCursor, boolean descending) {

        /** Ends a page after {@link Scan#ENOUGH_BYTES}. Sizes are known without reading the documents themselves. */
        String sql() {
            String column = byIndex ? "k.index_key" : "d.key";
            String direction = descending ? " desc" : "";
            String range = column + " >= ?" + (hasEnd ? " and " + column + " < ?" : "")
                    + (hasCursor ? " and " + column + (descending ? " < ?" : " > ?") : "");
            return """
                    select d.key, %1$s from (
                      select r.*, sum(octet_length(r.data))
                        over (order by r.sorted%2$s rows between unbounded preceding and 1 preceding) as before
                      from (
                        select d.key, %3$s as sorted, %1$s
                        from (select coalesce(?::timestamptz, clock_timestamp()) as now offset 0) clock
                        cross join %4$s and %5$s order by %3$s%2$s limit ?) r) d
                    where coalesce(d.before, 0) < %6$d order by d.sorted%2$s
                    """.formatted(
                    DocumentRow.COLUMNS, direction, column, byIndex ? ENTRIES : DOCUMENTS, range, Scan.ENOUGH_BYTES);
        }
    }

    private static final String DOCUMENTS = """
            {schema}.documents d
            where (d.expires_at is null or d.expires_at > clock.now) and d.collection = ? and d.owner = ?""";

    private static final String ENTRIES = """
            {schema}.index_entries k
            cross join lateral (
              select * from {schema}.documents x
              where x.collection = k.collection and x.owner = k.owner and x.key = k.key
              and (x.expires_at is null or x.expires_at > clock.now) limit 1) d
            where k.collection = ? and k.owner = ? and k.index_name = ?""";

    /**
     * Returns the bound of a range as text. Keys are visible ASCII, but a bound may be any bytes: other bytes are replaced by a character
     * that sorts between the same keys.
     */
    private static String bound(byte[] end) {
        int ascii = 0;
        while (ascii < end.length && end[ascii] > 0) {
            ascii++;
        }
        String beginning = new String(end, 0, ascii, US_ASCII);
        return ascii == end.length ? beginning : beginning + (end[ascii] == 0 ? '\u0001' : '\u0080');
    }

    List<Document> read(ResultSet rows) throws SQLException {
        List<Document> found = new ArrayList<>();
        while (rows.next()) {
            DocumentId id = new DocumentId(scan.collection(), scan.owner(), rows.getString(1));
            found.add(DocumentRow.read(id, rows, 2));
        }
        return found;
    }
}
