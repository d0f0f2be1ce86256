package dev.semel.postgres;

import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads documents, those of many callers in one statement. */
final class Reading {

    private static final String SQL =
            "select s.n, d.* from (select coalesce(?::timestamptz, clock_timestamp()) as now) t"
                    + " cross join unnest(?::text[], ?::text[], ?::text[]) with ordinality s(collection, owner, key, n)"
                    + " cross join lateral (select " + DocumentRow.COLUMNS
                    + " from documents d where d.collection = s.collection"
                    + " and d.owner = s.owner and d.key = s.key and (d.expires_at is null or d.expires_at > t.now) limit 1) d";

    private Reading() {}

    /** A document that somebody asks for. */
    static final class Wanted {
        private final DocumentId id;

        @Nullable Document document;

        Wanted(DocumentId id) {
            this.id = id;
        }
    }

    static void run(Session session, @Nullable Instant now, List<Wanted> wanted) {
        List<String> owners = wanted.stream().map(each -> each.id.owner()).toList();
        session.run(
                session.prologue(Session.Role.APP) + SQL,
                to -> to.text(String.join(",", new TreeSet<>(owners)))
                        .time(now)
                        .texts(wanted.stream().map(each -> each.id.collection()).toList())
                        .texts(owners)
                        .texts(wanted.stream().map(each -> each.id.key()).toList()),
                rows -> read(rows, wanted));
    }

    private static boolean read(ResultSet rows, List<Wanted> wanted) throws SQLException {
        while (rows.next()) {
            Wanted one = wanted.get(rows.getInt(1) - 1);
            one.document = DocumentRow.read(one.id, rows, 2);
        }
        return true;
    }
}
