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
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Looks up keys, those of many callers in one statement. */
final class Finding {

    private static final String SQL =
            "select s.n, t.now, b.wait, e.* from (select coalesce(?::timestamptz, clock_timestamp()) as now) t"
                    + " cross join unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::int8[], ?::int8[])"
                    + " with ordinality s(id, user_id, endpoint, idempotency_key, quota_limit, quota_window, n)"
                    + " left join lateral (select " + OnceRow.COLUMNS + " from idempotency_keys k where k.id = s.id"
                    + " and k.user_id = s.user_id and k.endpoint = s.endpoint and k.idempotency_key = s.idempotency_key limit 1) e on true"
                    + " left join lateral (select least(s.quota_window,"
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
        return session.run(
                session.prologue(Session.Role.APP) + SQL,
                to -> to.text(String.join(
                                ",",
                                new TreeSet<>(wanted.stream()
                                        .map(each -> each.key.user())
                                        .toList())))
                        .time(now)
                        .ids(wanted.stream().map(each -> each.id.uuid()).toList())
                        .texts(wanted.stream().map(each -> each.key.user()).toList())
                        .texts(wanted.stream().map(each -> each.key.endpoint()).toList())
                        .texts(wanted.stream().map(each -> each.key.key()).toList())
                        .numbers(wanted.stream()
                                .map(each -> (long) each.quota.limit())
                                .toList())
                        .numbers(wanted.stream()
                                .map(each -> CommitGroup.micros(each.quota.window()))
                                .toList()),
                rows -> read(rows, wanted));
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
