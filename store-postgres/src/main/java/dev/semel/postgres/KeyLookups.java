package dev.semel.postgres;

import dev.semel.store.IdempotencyKey;
import dev.semel.store.Quota;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.OnceStore.Lookup;
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

/** Looks up the keys of concurrent callers in one round trip. */
final class KeyLookups {

    private static final String FOUND = "select k.id, k.user_id, k.endpoint, k.idempotency_key, "
            + IdempotencyRow.COLUMNS + " from {schema}.idempotency_records k where k.id = ";

    static final String ONE = FOUND + "?::uuid";

    /** The lateral join makes the planner use the primary key, and not the index of users, which may match many rows. */
    private static final String MANY =
            "select e.* from unnest(?::uuid[]) s(id) cross join lateral (" + FOUND + "s.id limit 1) e";

    private KeyLookups() {}

    /** A key to look up, and the result. */
    static final class Wanted {
        private final IdempotencyKey key;
        private final Quota quota;
        private final RowId id;
        private @Nullable IdempotencyRecord record;

        @Nullable Lookup lookup;

        Wanted(IdempotencyKey key, Quota quota) {
            this.key = key;
            this.quota = quota;
            this.id = RowId.of(key);
        }
    }

    /** What the text depends on; the key of the cached text. */
    private record Shape(boolean one, int counted) {}

    /** Looks up keys, and returns the database's time. */
    static Instant run(Session session, @Nullable Instant now, List<Wanted> wanted) {
        TreeSet<String> users = new TreeSet<>();
        QuotaWaits waits = new QuotaWaits();
        for (int n = 0; n < wanted.size(); n++) {
            Wanted each = wanted.get(n);
            users.add(each.key.user());
            waits.add(n, each.id, each.key.user(), each.quota);
        }
        boolean one = wanted.size() == 1;
        String sql = session.texts()
                .get(
                        new Shape(one, waits.shape()),
                        () -> session.sql(Session.Role.APP, Session.TIME, (one ? ONE : MANY) + waits.sql()));
        return session.runAll(
                sql,
                to -> {
                    to.text(Session.users(users)).time(now);
                    if (one) {
                        to.text(wanted.get(0).id.uuid().toString());
                    } else {
                        to.array(
                                "uuid",
                                wanted.stream().map(each -> each.id.uuid()).toList());
                    }
                    waits.bind(to, now);
                },
                results -> read(results, wanted, waits));
    }

    private static Instant read(Session.Results results, List<Wanted> wanted, QuotaWaits waits) throws SQLException {
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
        Map<Long, Duration> durations = waits.read(results);
        for (int n = 0; n < wanted.size(); n++) {
            Wanted each = wanted.get(n);
            each.lookup = new Lookup(each.record, now, durations.getOrDefault((long) n, Duration.ZERO));
        }
        return now;
    }

    /** Returns the record of a row that was found by its id; null if the row has another key with the same hash. */
    static @Nullable IdempotencyRecord record(IdempotencyKey key, ResultSet row) throws SQLException {
        return key.equals(new IdempotencyKey(row.getString(2), row.getString(3), row.getString(4)))
                ? IdempotencyRow.read(key, row, 5)
                : null;
    }

    /**
     * Finds out how long users who have reached their quota have to wait. Keys are counted only for users with a quota and for keys that
     * are new or expired.
     */
    static final class QuotaWaits {

        private static final RowSource COUNTED =
                RowSource.of("n int8", "id uuid", "user_id text", "quota_limit int8", "quota_window int8");

        private static final String LATER = "s.quota_limit - 1";

        private final List<List<@Nullable Object>> counted = new ArrayList<>();

        /** @param n identifies the wait in the result */
        void add(long n, RowId id, String user, Quota quota) {
            if (quota.isLimited()) {
                counted.add(
                        RowSource.row(n, id.uuid(), user, (long) quota.limit(), CommitGroup.micros(quota.window())));
            }
        }

        int shape() {
            return RowSource.shape(counted.size());
        }

        /** Returns a statement to append to another; empty if no user has a quota. */
        String sql() {
            return shape() == 0 ? "" : sql(shape());
        }

        private static String sql(int shape) {
            return """
                    ; select s.n, %s from (select coalesce(?::timestamptz, clock_timestamp()) as now) clock
                    cross join %s cross join lateral (%s) b
                    where not exists (select from {schema}.idempotency_records l where l.id = s.id
                      and (l.deadline is null or l.deadline > clock.now))
                    """.formatted(
                            QuotaSql.wait("b.created_at", "clock.now", "s.quota_window"),
                            COUNTED.sql("s", shape),
                            QuotaSql.start("s.user_id", "clock.now", "s.quota_window", LATER));
        }

        void bind(Parameters to, @Nullable Instant now) throws SQLException {
            if (!counted.isEmpty()) {
                to.time(now);
                COUNTED.bind(to, counted);
            }
        }

        /** Returns the waits by number, without those that are zero. */
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
