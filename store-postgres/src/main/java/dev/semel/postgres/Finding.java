package dev.semel.postgres;

import dev.semel.store.OnceKey;
import dev.semel.store.OnceRecord;
import dev.semel.store.Quota;
import dev.semel.store.Sighting;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Looks up keys, those of many callers in one statement. */
final class Finding {

    private static final RowSource WANTED = RowSource.of(
            "n int8",
            "id uuid",
            "user_id text",
            "endpoint text",
            "idempotency_key text",
            "quota_limit int8",
            "quota_window int8");

    private static final String BEFORE = ", " + OnceRow.COLUMNS_FOUND
            + " from (select coalesce(?::timestamptz, clock_timestamp()) as now) t"
            + " cross join ";
    private static final String AFTER =
            " left join lateral (select " + OnceRow.COLUMNS + ", k.user_id, k.endpoint, k.idempotency_key"
                    + " from idempotency_keys k where k.id = s.id limit 1) e on e.user_id = s.user_id and e.endpoint = s.endpoint"
                    + " and e.idempotency_key = s.idempotency_key";

    /** Only where somebody has a quota: even what has nothing to do takes time. */
    private static final String COUNT = " left join lateral (select least(s.quota_window,"
            + " (extract(epoch from k.created_at - t.now) * 1000000)::int8 + s.quota_window) as wait from idempotency_keys k"
            + " where s.quota_limit > 0 and (e.client_tx_id is null or e.deadline <= t.now) and k.user_id = s.user_id"
            + " and k.created_at > t.now - s.quota_window * interval '1 microsecond'"
            + " order by k.created_at desc offset greatest(s.quota_limit - 1, 0) limit 1) b on true";

    private Finding() {}

    /** A key that somebody asks for. */
    static final class Wanted {
        private final OnceKey key;
        private final Quota quota;
        private final RowId id;

        @Nullable Sighting sighting;

        Wanted(OnceKey key, Quota quota) {
            this.key = key;
            this.quota = quota;
            this.id = RowId.of(key);
        }
    }

    /** Returns what time it was for the database. */
    static Instant run(Session session, @Nullable Instant now, List<Wanted> wanted) {
        TreeSet<String> users = new TreeSet<>();
        List<List<@Nullable Object>> rows = new ArrayList<>(wanted.size());
        for (Wanted each : wanted) {
            OnceKey key = each.key;
            users.add(key.user());
            rows.add(RowSource.row(
                    rows.size() + 1L,
                    each.id.uuid(),
                    key.user(),
                    key.endpoint(),
                    key.key(),
                    (long) each.quota.limit(),
                    CommitGroup.micros(each.quota.window())));
        }
        boolean counts = wanted.stream().anyMatch(each -> each.quota.isLimited());
        return session.run(
                session.prologue(Session.Role.APP)
                        + (counts ? "select s.n, t.now, b.wait" : "select s.n, t.now, 0 as wait")
                        + BEFORE
                        + WANTED.sql("s", RowSource.shape(wanted.size()))
                        + AFTER
                        + (counts ? COUNT : ""),
                to -> {
                    to.text(String.join(",", users)).time(now);
                    WANTED.bind(to, rows);
                },
                found -> read(found, wanted));
    }

    private static Instant read(ResultSet rows, List<Wanted> wanted) throws SQLException {
        Instant now = Instant.EPOCH;
        while (rows.next()) {
            Wanted one = wanted.get(rows.getInt(1) - 1);
            now = OnceRow.instant(rows, 2);
            Duration wait = Duration.of(rows.getLong(3), ChronoUnit.MICROS);
            OnceRecord record = OnceRow.read(one.key, rows, 4);
            one.sighting = new Sighting(record, now, wait);
        }
        return now;
    }
}
