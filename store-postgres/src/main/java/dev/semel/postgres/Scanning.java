package dev.semel.postgres;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.Scan;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads documents in the order of a key, in one statement that sends no more of them than are wanted. */
final class Scanning {

    private final Scan scan;
    private final boolean further;

    Scanning(Scan scan) {
        this.scan = scan;
        this.further = !scan.furtherKey().isEmpty();
    }

    List<Document> run(Session session, @Nullable Instant now) {
        return session.run(
                session.prologue(Session.Role.APP) + sql(),
                to -> {
                    to.text(scan.owner()).time(now).text(scan.collection()).text(scan.owner());
                    if (further) {
                        to.text(scan.furtherKey());
                    }
                    to.text(bound(scan.range().from()));
                    if (scan.range().to().isPresent()) {
                        to.text(bound(scan.range().to().get()));
                    }
                    if (!scan.after().isEmpty()) {
                        to.text(bound(scan.after().getBytes(UTF_8)));
                    }
                    to.number(scan.limit());
                },
                this::read);
    }

    /** How much there is before a document is told without reading it. */
    private String sql() {
        String column = further ? "k.further_key" : "d.key";
        String direction = scan.descending() ? " desc" : "";
        String range = column + " >= ?" + (scan.range().to().isPresent() ? " and " + column + " < ?" : "")
                + (scan.after().isEmpty() ? "" : " and " + column + (scan.descending() ? " < ?" : " > ?"));
        String rows = further
                ? "further_keys k cross join lateral (select * from documents x where x.collection = k.collection"
                        + " and x.owner = k.owner and x.key = k.key"
                        + " and (x.expires_at is null or x.expires_at > t.now) limit 1) d"
                        + " where k.collection = ? and k.owner = ? and k.name = ? and "
                : "documents d where (d.expires_at is null or d.expires_at > t.now)"
                        + " and d.collection = ? and d.owner = ? and ";
        return "select d.key, " + DocumentRow.COLUMNS + " from (select r.*, sum(octet_length(r.data))"
                + " over (order by r.sorted" + direction
                + " rows between unbounded preceding and 1 preceding) as before"
                + " from (select d.key, " + column + " as sorted, " + DocumentRow.COLUMNS
                + " from (select coalesce(?::timestamptz, clock_timestamp()) as now offset 0) t cross join " + rows
                + range
                + " order by " + column + direction + " limit ?) r) d"
                + " where coalesce(d.before, 0) < " + Scan.ENOUGH_BYTES + " order by d.sorted" + direction;
    }

    /**
     * The end of a range as a text. Keys are visible ASCII, but an end need not be: what is not is spelled as something that
     * lies between the same keys.
     */
    private static String bound(byte[] end) {
        int ascii = 0;
        while (ascii < end.length && end[ascii] > 0) {
            ascii++;
        }
        String beginning = new String(end, 0, ascii, US_ASCII);
        return ascii == end.length ? beginning : beginning + (end[ascii] == 0 ? '\u0001' : '\u0080');
    }

    private List<Document> read(ResultSet rows) throws SQLException {
        List<Document> found = new ArrayList<>();
        while (rows.next()) {
            DocumentId id = new DocumentId(scan.collection(), scan.owner(), rows.getString(1));
            found.add(DocumentRow.read(id, rows, 2));
        }
        return found;
    }
}
