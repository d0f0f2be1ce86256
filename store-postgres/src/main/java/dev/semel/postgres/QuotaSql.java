package dev.semel.postgres;

/**
 * Counts the keys that a user has started in a sliding window. An index of users and creation times finds the last start of each key.
 * Earlier starts of a key that was started again are in {@code quota_starts}, and a partial index finds those few keys.
 */
final class QuotaSql {

    /** Users to check: none may have more than {@code allowed} starts in the window. */
    static final RowSource USERS = RowSource.of("n int8", "user_id text", "quota_window int8", "allowed int8");

    private QuotaSql() {}

    /**
     * Returns a query for the time of one start in the window, or for no row. Its arguments are columns, because row level security keeps
     * the planner from using an index for other expressions.
     *
     * @param user column of the user
     * @param now column of the time
     * @param window column of the window in microseconds
     * @param later how many starts are later than the wanted one
     */
    static String start(String user, String now, String window, String later) {
        String since = now + " - " + window + " * interval '1 microsecond'";
        return """
                select starts.created_at from (
                  select k.created_at from {schema}.idempotency_records k
                  where k.user_id = %1$s and k.created_at > %2$s
                  union all
                  select e.created_at from {schema}.idempotency_records k cross join unnest(k.quota_starts) e(created_at)
                  where k.user_id = %1$s and k.quota_starts is not null and k.created_at > %2$s and e.created_at > %2$s
                ) starts order by starts.created_at desc offset %3$s limit 1
                """.formatted(user, since, later);
    }

    /** Returns an expression for the microseconds until a start leaves the window. */
    static String wait(String start, String now, String window) {
        return "least(" + window + ", (extract(epoch from " + start + " - " + now + ") * 1000000)::int8 + " + window
                + ")";
    }

    /** Returns a condition that no user exceeds their quota. Parameters: the time, and {@link #USERS}. */
    static String allMayStart(int shape) {
        return """
                not exists (select from (select coalesce(?::timestamptz, clock_timestamp()) as now offset 0) clock
                cross join %s cross join lateral (%s) s)
                """.formatted(USERS.sql("u", shape), start("u.user_id", "clock.now", "u.quota_window", "u.allowed"));
    }
}
