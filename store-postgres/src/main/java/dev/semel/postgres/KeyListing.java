package dev.semel.postgres;

import dev.semel.postgres.Session.Role;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.admin.StoreAdmin.KeyPage;
import dev.semel.store.admin.StoreAdmin.KeyQuery;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.KeyStatus;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Lists keys by user and, for each user, by creation, which is the order of an index. The index finds all keys, those of a user, or the
 * incomplete ones. Other criteria filter the rows; a page examines at most {@value #MOST_EXAMINED} rows. The keys of a user with a
 * transaction id are listed newest first.
 */
final class KeyListing {

    static final int MOST_EXAMINED = 5_000;

    private static final String COLUMNS =
            "k.user_id, k.endpoint, k.idempotency_key, k.id, " + IdempotencyRow.COLUMNS_WITHOUT_BODY;

    private static final String ORDER = "k.user_id, k.created_at, k.id";

    private final KeyQuery query;
    private final Instant now;
    private final List<Condition> examined = new ArrayList<>();
    private final List<Condition> wanted = new ArrayList<>();

    /** Sets the parameters of a condition. */
    private interface Binding {
        void bind(Parameters to) throws SQLException;
    }

    private record Condition(String sql, Binding binding) {}

    /** The position after a page. No user name contains a line break. */
    private record Cursor(String user, Instant createdAt, UUID id) {

        static Cursor of(String text) {
            String[] parts = text.split("\n", -1);
            try {
                if (parts.length == 3) {
                    String user = IdempotencyKey.checkUser("user", parts[0]);
                    return new Cursor(user, Instant.parse(parts[1]), UUID.fromString(parts[2]));
                }
            } catch (DateTimeException | IllegalArgumentException e) {
                throw new IllegalArgumentException("Not a cursor of a list of keys", e);
            }
            throw new IllegalArgumentException("Not a cursor of a list of keys");
        }

        String text() {
            return user + "\n" + createdAt + "\n" + id;
        }
    }

    KeyListing(KeyQuery query, Instant now) {
        this.query = query;
        this.now = now;
        if (query.after() != null) {
            addCursor(isNewestFirst() ? "<" : ">", Cursor.of(query.after()));
        }
        if (query.user() != null) {
            add(examined, "k.user_id = ?", to -> to.text(query.user()));
            if (query.createdBefore() != null) {
                add(examined, "k.created_at < ?::timestamptz", to -> to.time(query.createdBefore()));
            }
        } else if (query.createdBefore() != null) {
            add(wanted, "k.created_at < ?::timestamptz", to -> to.time(query.createdBefore()));
        }
        if (query.endpoint() != null) {
            add(wanted, "k.endpoint = ?", to -> to.text(query.endpoint()));
        }
        if (query.clientTxId() != null) {
            add(wanted, "k.client_tx_id = ?", to -> to.text(query.clientTxId()));
        }
        if (query.prefix() != null) {
            add(wanted, "starts_with(k.idempotency_key, ?)", to -> to.text(query.prefix()));
        }
        if (query.state() != null) {
            addState(query.state());
        }
    }

    private static void add(List<Condition> conditions, String sql, Binding binding) {
        conditions.add(new Condition(sql, binding));
    }

    private void addCursor(String comparison, Cursor cursor) {
        add(
                examined,
                "(" + ORDER + ") " + comparison + " (?, ?::timestamptz, ?::uuid)",
                to -> to.text(cursor.user).time(cursor.createdAt).text(cursor.id.toString()));
    }

    /** Adds the condition of a state, as {@link IdempotencyRecord#statusAt} defines it. */
    private void addState(KeyStatus state) {
        if (state == KeyStatus.PROCESSING || state == KeyStatus.UNKNOWN) {
            add(examined, "k.status in (1, 4)", to -> {}); // the condition of a partial index
        }
        String isExpired = "coalesce(k.deadline <= ?::timestamptz, false)";
        add(
                wanted,
                switch (state) {
                    case PROCESSING -> "k.status = 1 and (k.if_abandoned is distinct from 2 or not " + isExpired + ")";
                    case UNKNOWN -> "k.status = 4 or k.status = 1 and k.if_abandoned = 2 and " + isExpired;
                    case COMPLETED -> "k.status = 2 and k.response_kind is not null and not " + isExpired;
                    case FAILED -> "k.status = 3 and not " + isExpired;
                    case EXPIRED ->
                        "k.status in (2, 3) and (k.status = 2 and k.response_kind is null or " + isExpired + ")";
                },
                to -> to.time(now));
    }

    /**
     * Runs the query. The last row to examine is looked up first, because rows may be inserted or deleted meanwhile, and the next page has
     * to start exactly where this one ended. The inner query makes the planner use the index in its order.
     */
    KeyPage run(Session session) {
        Optional<Cursor> end = wanted.isEmpty() ? Optional.empty() : lastToExamine(session);
        end.ifPresent(cursor -> addCursor(isNewestFirst() ? ">=" : "<=", cursor));
        String sql = """
                select %s from (select * from {schema}.idempotency_records k where %s order by %s offset 0) k
                where %s order by %s limit ?
                """.formatted(COLUMNS, conditions(examined), order(), conditions(wanted), order());
        List<IdempotencyRecord> found = new ArrayList<>();
        List<Cursor> cursors = new ArrayList<>();
        session.run(
                sql(session, sql),
                to -> {
                    bindExamined(to);
                    for (Condition condition : wanted) {
                        condition.binding.bind(to);
                    }
                    to.number(query.limit() + 1L);
                },
                rows -> read(rows, found, cursors));
        if (found.size() > query.limit()) {
            String last = cursors.get(query.limit() - 1).text();
            return new KeyPage(found.subList(0, query.limit()), now, Optional.of(last));
        }
        return new KeyPage(found, now, end.map(Cursor::text));
    }

    /** Returns where the next page starts if there are at least as many rows as a page examines. */
    private Optional<Cursor> lastToExamine(Session session) {
        String sql = """
                select k.user_id, k.created_at, k.id from {schema}.idempotency_records k
                where %s order by %s offset %d limit 1
                """.formatted(conditions(examined), order(), MOST_EXAMINED - 1);
        return session.run(
                sql(session, sql),
                this::bindExamined,
                row -> row.next()
                        ? Optional.of(new Cursor(
                                row.getString(1), IdempotencyRow.instant(row, 2), UUID.fromString(row.getString(3))))
                        : Optional.empty());
    }

    /**
     * Adds the prologue. A list of one user acts as that user. Plans are custom, because the best index depends on the query; sorting is
     * off, because an index has the order.
     */
    private String sql(Session session, String statement) {
        String settings =
                ", set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_sort', 'off', true)";
        return session.sql(query.user() == null ? Role.SERVICE : Role.APP, settings, statement);
    }

    private void bindExamined(Parameters to) throws SQLException {
        to.text(query.user() == null ? "" : query.user());
        for (Condition condition : examined) {
            condition.binding.bind(to);
        }
    }

    /** Leaves out the user where all rows have the same, because the planner would sort by it. */
    private String order() {
        if (query.user() == null) {
            return ORDER;
        }
        return isNewestFirst() ? "k.created_at desc, k.id desc" : "k.created_at, k.id";
    }

    /** A client looks for the transaction that it has just sent, and no index finds it. */
    private boolean isNewestFirst() {
        return query.user() != null && query.clientTxId() != null;
    }

    private static String conditions(List<Condition> conditions) {
        return conditions.isEmpty()
                ? "true"
                : String.join(
                        " and ",
                        conditions.stream()
                                .map(condition -> "(" + condition.sql + ")")
                                .toList());
    }

    private static boolean read(ResultSet row, List<IdempotencyRecord> found, List<Cursor> cursors)
            throws SQLException {
        while (row.next()) {
            IdempotencyKey key = new IdempotencyKey(row.getString(1), row.getString(2), row.getString(3));
            IdempotencyRecord record = IdempotencyRow.read(key, row, 5);
            if (record != null) {
                found.add(record);
                cursors.add(new Cursor(key.user(), record.createdAt(), UUID.fromString(row.getString(4))));
            }
        }
        return true;
    }
}
