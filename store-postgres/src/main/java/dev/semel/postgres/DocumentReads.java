package dev.semel.postgres;

import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads the documents of concurrent callers in one statement. */
final class DocumentReads {

    private static final RowSource WANTED = RowSource.of("n int8", "collection text", "owner text", "key text");

    private static final String SQL = """
            select s.n, d.* from (select coalesce(?::timestamptz, clock_timestamp()) as now) clock cross join %s
            cross join lateral (
              select %s from {schema}.documents d
              where d.collection = s.collection and d.owner = s.owner and d.key = s.key
              and (d.expires_at is null or d.expires_at > clock.now) limit 1) d
            """;

    private DocumentReads() {}

    /** A document to read, and the result. */
    static final class Wanted {
        private final DocumentId id;

        @Nullable Document document;

        Wanted(DocumentId id) {
            this.id = id;
        }
    }

    /** What the text depends on; the key of the cached text. */
    private record Shape(int wanted) {

        String sql() {
            return SQL.formatted(WANTED.sql("s", wanted), DocumentRow.COLUMNS);
        }
    }

    static void run(Session session, @Nullable Instant now, List<Wanted> wanted) {
        TreeSet<String> owners = new TreeSet<>();
        List<List<@Nullable Object>> rows = new ArrayList<>(wanted.size());
        for (Wanted each : wanted) {
            owners.add(each.id.owner());
            rows.add(RowSource.row(rows.size() + 1L, each.id.collection(), each.id.owner(), each.id.key()));
        }
        Shape shape = new Shape(RowSource.shape(wanted.size()));
        session.run(
                session.texts().get(shape, () -> session.sql(Session.Role.APP, shape.sql())),
                to -> {
                    to.text(Session.users(owners)).time(now);
                    WANTED.bind(to, rows);
                },
                found -> read(found, wanted));
    }

    private static boolean read(ResultSet rows, List<Wanted> wanted) throws SQLException {
        while (rows.next()) {
            Wanted one = wanted.get(rows.getInt(1) - 1);
            one.document = DocumentRow.read(one.id, rows, 2);
        }
        return true;
    }
}
