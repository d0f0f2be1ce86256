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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Looks up keys, those of many callers in one round trip. */
final class Finding {

    private static final String FOUND = "select k.id, k.user_id, k.endpoint, k.idempotency_key, " + OnceRow.COLUMNS
            + " from idempotency_keys k where k.id = ";

    /** A key by its id. */
    static final String ONE = FOUND + "?::uuid";

    /** One by one, or else the index of a user's keys may seem as good, of which there may be many. */
    private static final String MANY =
            "select e.* from unnest(?::uuid[]) s(id) cross join lateral (" + FOUND + "s.id limit 1) e";

    private Finding() {}

    /** A key that somebody asks for. */
    static final class Wanted {
        private final OnceKey key;
        private final Quota quota;
        private final RowId id;
        private @Nullable OnceRecord record;

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
        Waiting waiting = new Waiting();
        for (int n = 0; n < wanted.size(); n++) {
            Wanted each = wanted.get(n);
            users.add(each.key.user());
            waiting.add(n, each.id, each.key.user(), each.quota);
        }
        return session.runAll(
                session.prologue(Session.Role.APP, Session.TIME) + (wanted.size() == 1 ? ONE : MANY) + waiting.sql(),
                to -> {
                    to.text(String.join(",", users)).time(now);
                    if (wanted.size() == 1) {
                        to.text(wanted.get(0).id.uuid().toString());
                    } else {
                        to.array(
                                "uuid",
                                wanted.stream().map(each -> each.id.uuid()).toList());
                    }
                    waiting.bind(to, now);
                },
                results -> read(results, wanted, waiting));
    }

    private static Instant read(Session.Results results, List<Wanted> wanted, Waiting waiting) throws SQLException {
        Instant now = Session.time(results.next());
        Map<String, List<Wanted>> byId = new HashMap<>();
        wanted.forEach(each -> byId.computeIfAbsent(each.id.uuid().toString(), id -> new ArrayList<>(1))
                .add(each));
        ResultSet rows = results.next();
        while (rows.next()) {
            for (Wanted each : byId.getOrDefault(rows.getString(1), List.of())) {
                each.record = record(each.key, rows);
            }
        }
        Map<Long, Duration> waits = waiting.read(results);
        for (int n = 0; n < wanted.size(); n++) {
            Wanted each = wanted.get(n);
            each.sighting = new Sighting(each.record, now, waits.getOrDefault((long) n, Duration.ZERO));
        }
        return now;
    }

    /** The record of a key in a row that was found by its id; null if it is another's, which nobody has seen yet. */
    static @Nullable OnceRecord record(OnceKey key, ResultSet row) throws SQLException {
        return key.equals(new OnceKey(row.getString(2), row.getString(3), row.getString(4)))
                ? OnceRow.read(key, row, 5)
                : null;
    }

    /**
     * How long those have to wait who have begun too many keys, and whose key is new or past its time. Only who has a quota is
     * looked at, and nobody whose key lives: what is not asked for takes no time.
     */
    static final class Waiting {

        private static final RowSource COUNTED =
                RowSource.of("n int8", "id uuid", "user_id text", "quota_limit int8", "quota_window int8");

        private final List<List<@Nullable Object>> counted = new ArrayList<>();

        /** @param n by which the wait is told */
        void add(long n, RowId id, String user, Quota quota) {
            if (quota.isLimited()) {
                counted.add(
                        RowSource.row(n, id.uuid(), user, (long) quota.limit(), CommitGroup.micros(quota.window())));
            }
        }

        /** A statement that comes behind another; nothing if nobody has a quota. */
        String sql() {
            if (counted.isEmpty()) {
                return "";
            }
            return "; select s.n, least(s.quota_window,"
                    + " (extract(epoch from b.created_at - t.now) * 1000000)::int8 + s.quota_window)"
                    + " from (select coalesce(?::timestamptz, clock_timestamp()) as now) t cross join "
                    + COUNTED.sql("s", RowSource.shape(counted.size()))
                    + " cross join lateral (select k.created_at from semel_starts k where k.user_id = s.user_id"
                    + " and k.created_at > t.now - s.quota_window * interval '1 microsecond'"
                    + " and not exists (select from idempotency_keys l where l.id = s.id"
                    + " and coalesce(l.lease_until, l.expires_at, 'infinity') > t.now)"
                    + " order by k.created_at desc offset s.quota_limit - 1 limit 1) b";
        }

        void bind(Parameters to, @Nullable Instant now) throws SQLException {
            if (!counted.isEmpty()) {
                to.time(now);
                COUNTED.bind(to, counted);
            }
        }

        /** Who need not wait is not among them. */
        Map<Long, Duration> read(Session.Results results) throws SQLException {
            Map<Long, Duration> waits = new HashMap<>();
            ResultSet rows = counted.isEmpty() ? null : results.next();
            while (rows != null && rows.next()) {
                waits.put(rows.getLong(1), Duration.of(rows.getLong(2), ChronoUnit.MICROS));
            }
            return waits;
        }
    }
}
