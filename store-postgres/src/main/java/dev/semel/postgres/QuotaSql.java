package dev.semel.postgres;

/**
 * Counts the starts of a user's keys in a sliding window. Those of keys that are there are found by an index; those of keys that were started
 * again within the window, by another that hardly has entries.
 */
final class QuotaSql {

    /** Users whose starts are counted: each may have started fewer than so many more than {@code allowed}. */
    static final RowSource USERS = RowSource.of("n int8", "user_id text", "quota_window int8", "allowed int8");

    private QuotaSql() {}

    /**
     * The latest start of a user but some, if it is within the window: a query of {@code created_at}, of at most one row. Its arguments are
     * columns of what it is joined with, since row level security would keep expressions from being looked up in an index.
     *
     * @param user the user
     * @param now the time
     * @param window the window in microseconds
     * @param later how many starts are later
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

    /** How long until a start has left the window, in microseconds. */
    static String wait(String start, String now, String window) {
        return "least(" + window + ", (extract(epoch from " + start + " - " + now + ") * 1000000)::int8 + " + window
                + ")";
    }

    /** A condition that none of some users has started as many keys as they may; takes the time, and the users. */
    static String allMayStart(int shape) {
        return """
                not exists (select from (select coalesce(?::timestamptz, clock_timestamp()) as now offset 0) clock
                cross join %s cross join lateral (%s) s)
                """.formatted(USERS.sql("u", shape), start("u.user_id", "clock.now", "u.quota_window", "u.allowed"));
    }
}
