package dev.semel.postgres;

import dev.semel.id.TextFormat;
import dev.semel.postgres.Session.Role;
import dev.semel.store.KeyPage;
import dev.semel.store.KeyQuery;
import dev.semel.store.KeyState;
import dev.semel.store.OnceKey;
import dev.semel.store.OnceRecord;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Lists keys, each user's in the order in which they were begun: there is an index of that. What has no index is filtered, of so many
 * rows at most for a page.
 */
final class Listing {

    /** The most rows that are looked at for a page. */
    private static final int MOST_LOOKS = 10_000;

    private static final String COLUMNS =
            "k.user_id, k.endpoint, k.idempotency_key, k.id, " + OnceRow.COLUMNS_UNANSWERED;

    private final KeyQuery query;
    private final Instant now;
    private final List<String> looked = new ArrayList<>();
    private final List<String> wanted = new ArrayList<>();
    private final List<Value> lookedValues = new ArrayList<>();
    private final List<Value> wantedValues = new ArrayList<>();

    /** Gives a statement one of its parameters. */
    private interface Value {
        void bind(Parameters to) throws SQLException;
    }

    /** Where a page ends. */
    private record Place(String user, Instant createdAt, String id) {

        static Place of(String text) {
            String[] parts = text.split("\n", -1);
            if (parts.length != 3) {
                throw new IllegalArgumentException("Not where a page of keys ended");
            }
            try {
                return new Place(
                        TextFormat.TEXT.check("user", parts[0]),
                        Instant.parse(parts[1]),
                        UUID.fromString(parts[2]).toString());
            } catch (DateTimeException e) {
                throw new IllegalArgumentException("Not where a page of keys ended", e);
            }
        }

        String text() {
            return user + "\n" + createdAt + "\n" + id;
        }
    }

    Listing(KeyQuery query, Instant now) {
        this.query = query;
        this.now = now;
        if (query.after() != null) {
            addPlace(">", Place.of(query.after()));
        }
        if (query.asksForOpen()) { // in the words of indexes
            looked.add(
                    query.state() == KeyState.FAILED ? "k.status = 'failed'" : "k.status in ('processing', 'unknown')");
        }
        add(looked, lookedValues, "k.user_id = ?", query.user());
        add(looked, lookedValues, "k.client_tx_id = ?", query.clientTxId());
        add(wanted, wantedValues, "k.endpoint = ?", query.endpoint());
        add(wanted, wantedValues, "starts_with(k.idempotency_key, ?)", query.prefix());
        Instant before = query.createdBefore();
        if (before != null) {
            boolean ordered = query.user() != null; // a user's are in the order of their creation
            (ordered ? looked : wanted).add("k.created_at < ?::timestamptz");
            (ordered ? lookedValues : wantedValues).add(to -> to.time(before));
        }
        if (query.state() != null) {
            addState(query.state());
        }
    }

    private void addPlace(String comparison, Place place) {
        looked.add("(k.user_id, k.created_at, k.id) " + comparison + " (?, ?::timestamptz, ?::uuid)");
        lookedValues.add(to -> to.text(place.user).time(place.createdAt).text(place.id));
    }

    private static void add(List<String> conditions, List<Value> values, String condition, @Nullable String value) {
        if (value != null) {
            conditions.add(condition);
            values.add(to -> to.text(value));
        }
    }

    /** As {@link OnceRecord#stateAt} says. */
    private void addState(KeyState state) {
        String isOver = "coalesce(k.lease_until, k.expires_at) <= ?::timestamptz";
        wanted.add(
                switch (state) {
                    case PROCESSING ->
                        "k.status = 'processing' and (k.if_abandoned is distinct from 'freeze' or not " + isOver + ")";
                    case COMPLETED -> "k.status = 'completed' and k.response_kind is not null and not " + isOver;
                    case FAILED -> "k.status = 'failed' and not " + isOver;
                    case UNKNOWN ->
                        "(k.status = 'unknown' or k.status = 'processing' and k.if_abandoned = 'freeze' and " + isOver
                                + ")";
                    case EXPIRED ->
                        "k.status in ('completed', 'failed') and (k.status = 'completed' and k.response_kind is null or "
                                + isOver + ")";
                });
        wantedValues.add(to -> to.time(now));
    }

    /** The end is looked up first: rows may go meanwhile, and then others behind it would be taken for looked at. */
    KeyPage run(Session session) {
        Optional<Place> end = wanted.isEmpty() ? Optional.empty() : lastToLookAt(session);
        end.ifPresent(place -> addPlace("<=", place));
        String rows = "(select * from idempotency_keys k where " + conditions(looked) + order() + " limit " + MOST_LOOKS
                + ") k";
        List<OnceRecord> found = new ArrayList<>();
        List<Place> places = new ArrayList<>();
        session.run(
                prologue(session) + "select " + COLUMNS + " from " + rows + " where " + conditions(wanted) + order()
                        + " limit ?",
                to -> {
                    to.text(whose());
                    for (Value value : lookedValues) {
                        value.bind(to);
                    }
                    for (Value value : wantedValues) {
                        value.bind(to);
                    }
                    to.number(query.limit() + 1L);
                },
                each -> read(each, found, places));
        if (found.size() > query.limit()) {
            String last = places.get(query.limit() - 1).text();
            return new KeyPage(found.subList(0, query.limit()), now, Optional.of(last));
        }
        return new KeyPage(found, now, end.map(Place::text));
    }

    /** Where to go on if there are as many rows as are looked at, or more. */
    private Optional<Place> lastToLookAt(Session session) {
        return session.run(
                prologue(session) + "select k.user_id, k.created_at, k.id from idempotency_keys k where "
                        + conditions(looked) + order() + " offset " + (MOST_LOOKS - 1)
                        + " limit 1",
                to -> {
                    to.text(whose());
                    for (Value value : lookedValues) {
                        value.bind(to);
                    }
                },
                row -> row.next()
                        ? Optional.of(new Place(row.getString(1), OnceRow.instant(row, 2), row.getString(3)))
                        : Optional.empty());
    }

    /** What is the same in all rows is left out, since it would be sorted by. */
    private String order() {
        return " order by " + (query.user() == null ? "k.user_id, " : "") + "k.created_at, k.id";
    }

    /** Who lists the keys of one user needs to see no others. There is an index of the order, so they are not all read to be sorted. */
    private String prologue(Session session) {
        String ordered = query.clientTxId() == null ? ", set_config('enable_sort', 'off', true)" : "";
        return session.prologue(query.user() == null ? Role.SERVICE : Role.APP, ordered);
    }

    private String whose() {
        return query.user() == null ? "" : query.user();
    }

    private static String conditions(List<String> conditions) {
        return conditions.isEmpty() ? "true" : "(" + String.join(") and (", conditions) + ")";
    }

    private static boolean read(ResultSet row, List<OnceRecord> found, List<Place> places) throws SQLException {
        while (row.next()) {
            OnceKey key = new OnceKey(row.getString(1), row.getString(2), row.getString(3));
            OnceRecord record = OnceRow.read(key, row, 5);
            if (record != null) {
                found.add(record);
                places.add(new Place(key.user(), record.createdAt(), row.getString(4)));
            }
        }
        return true;
    }
}
