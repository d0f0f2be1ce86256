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
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Lists keys in the order of the index by which they are found. What else is asked for is filtered, of so many rows at most for a page.
 */
final class Listing {

    /** The most rows that are looked at for a page. */
    private static final int MOST_LOOKS = 10_000;

    private static final String HASH = "hashtextextended(?, 0)";

    private static final String COLUMNS =
            "k.user_id, k.endpoint, k.idempotency_key, k.id, " + OnceRow.COLUMNS_UNANSWERED;

    /** Ways through the keys; there is an index of each. */
    private enum Way {
        /** Each user's in the order in which they were begun: all, a user's, a transaction's, or those that are open. */
        USERS("k.user_id, k.created_at, k.id", "?, ?::timestamptz, ?::uuid") {
            @Override
            void bind(Place place, KeyQuery query, Parameters to) throws SQLException {
                to.text(place.user).time(place.createdAt).text(place.id);
            }
        },
        /** In the order of what they begin with. */
        KEYS("k.idempotency_key, k.id", "?, ?::uuid") {
            @Override
            void bind(Place place, KeyQuery query, Parameters to) throws SQLException {
                to.text(place.key).text(place.id);
            }
        },
        /** An endpoint's, the oldest first. It may be too long for an index, so there is one of hashes. */
        ENDPOINTS("k.endpoint_hash, k.created_at, k.id", HASH + ", ?::timestamptz, ?::uuid") {
            @Override
            void bind(Place place, KeyQuery query, Parameters to) throws SQLException {
                to.text(Objects.requireNonNull(query.endpoint()))
                        .time(place.createdAt)
                        .text(place.id);
            }
        },
        /** All, the oldest first. */
        AGES("k.created_at, k.id", "?::timestamptz, ?::uuid") {
            @Override
            void bind(Place place, KeyQuery query, Parameters to) throws SQLException {
                to.time(place.createdAt).text(place.id);
            }
        };

        private final String columns;
        private final String values;

        Way(String columns, String values) {
            this.columns = columns;
            this.values = values;
        }

        abstract void bind(Place place, KeyQuery query, Parameters to) throws SQLException;

        /** A user has few keys, and few are open; of what is left, few begin alike. */
        static Way of(KeyQuery query) {
            if (query.user() != null || query.clientTxId() != null || query.asksForOpen()) {
                return USERS;
            }
            if (query.prefix() != null) {
                return KEYS;
            }
            return query.endpoint() != null ? ENDPOINTS : query.createdBefore() != null ? AGES : USERS;
        }
    }

    private final KeyQuery query;
    private final Instant now;
    private final Way way;
    private final List<String> looked = new ArrayList<>();
    private final List<String> wanted = new ArrayList<>();
    private final List<Value> lookedValues = new ArrayList<>();
    private final List<Value> wantedValues = new ArrayList<>();

    /** Gives a statement one of its parameters. */
    private interface Value {
        void bind(Parameters to) throws SQLException;
    }

    /** Where a page ends, whichever way. */
    private record Place(String user, String key, Instant createdAt, String id) {

        static Place of(String text) {
            String[] parts = text.split("\n", -1);
            if (parts.length != 4) {
                throw new IllegalArgumentException("Not where a page of keys ended");
            }
            try {
                return new Place(
                        TextFormat.TEXT.check("user", parts[0]),
                        TextFormat.TEXT.check("key", parts[1]),
                        Instant.parse(parts[2]),
                        UUID.fromString(parts[3]).toString());
            } catch (DateTimeException e) {
                throw new IllegalArgumentException("Not where a page of keys ended", e);
            }
        }

        String text() {
            return String.join("\n", user, key, createdAt.toString(), id);
        }
    }

    Listing(KeyQuery query, Instant now) {
        this.query = query;
        this.now = now;
        this.way = Way.of(query);
        if (query.after() != null) {
            addPlace(">", Place.of(query.after()));
        }
        if (query.asksForOpen()) { // in the words of indexes
            looked.add(
                    query.state() == KeyState.FAILED ? "k.status = 'failed'" : "k.status in ('processing', 'unknown')");
        }
        add(looked, lookedValues, "k.user_id = ?", query.user());
        add(looked, lookedValues, "k.client_tx_id = ?", query.clientTxId());
        if (query.prefix() != null) {
            addPrefix(query.prefix());
        }
        if (query.endpoint() != null) {
            addEndpoint(query.endpoint());
        }
        if (query.createdBefore() != null) {
            addBefore(query.createdBefore());
        }
        if (query.state() != null) {
            addState(query.state());
        }
    }

    /** What begins with a text lies between it and the same with something behind it that no key can have. */
    private void addPrefix(String prefix) {
        boolean ordered = way == Way.KEYS;
        (ordered ? looked : wanted).add("k.idempotency_key >= ? and k.idempotency_key < ?");
        (ordered ? lookedValues : wantedValues).add(to -> to.text(prefix).text(prefix + '\u007f'));
    }

    /** From the hash to the hash, rather than equal to it: then only the index of hashes has the order that is asked for. */
    private void addEndpoint(String endpoint) {
        if (way == Way.ENDPOINTS) {
            add(looked, lookedValues, "k.endpoint_hash >= " + HASH, endpoint);
            add(looked, lookedValues, "k.endpoint_hash <= " + HASH, endpoint);
            add(looked, lookedValues, "k.endpoint = ?", endpoint);
        } else {
            add(wanted, wantedValues, "k.endpoint = ?", endpoint);
        }
    }

    private void addBefore(Instant before) {
        if (way == Way.ENDPOINTS) {
            looked.add("(k.endpoint_hash, k.created_at) < (" + HASH + ", ?::timestamptz)");
            lookedValues.add(
                    to -> to.text(Objects.requireNonNull(query.endpoint())).time(before));
            return;
        }
        boolean ordered = way == Way.AGES || (way == Way.USERS && query.user() != null);
        (ordered ? looked : wanted).add("k.created_at < ?::timestamptz");
        (ordered ? lookedValues : wantedValues).add(to -> to.time(before));
    }

    private void addPlace(String comparison, Place place) {
        looked.add("(" + way.columns + ") " + comparison + " (" + way.values + ")");
        lookedValues.add(to -> way.bind(place, query, to));
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

    /**
     * The end is looked up first: rows may go meanwhile, and then others behind it would be taken for looked at; or come, and then the last
     * would be cut off. What is looked at is a query of its own, so that it is found by the index of its order.
     */
    KeyPage run(Session session) {
        Optional<Place> end = wanted.isEmpty() ? Optional.empty() : lastToLookAt(session);
        end.ifPresent(place -> addPlace("<=", place));
        String rows = "(select * from idempotency_keys k where " + conditions(looked) + order() + " offset 0) k";
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
                prologue(session)
                        + "select k.user_id, k.idempotency_key, k.created_at, k.id from idempotency_keys k where "
                        + conditions(looked) + order() + " offset " + (MOST_LOOKS - 1)
                        + " limit 1",
                to -> {
                    to.text(whose());
                    for (Value value : lookedValues) {
                        value.bind(to);
                    }
                },
                row -> row.next()
                        ? Optional.of(new Place(
                                row.getString(1), row.getString(2), OnceRow.instant(row, 3), row.getString(4)))
                        : Optional.empty());
    }

    /** What is the same in all rows is left out, since it would be sorted by. */
    private String order() {
        return " order by " + (query.user() == null ? way.columns : way.columns.replace("k.user_id, ", ""));
    }

    /**
     * Who lists the keys of one user needs to see no others. There is an index of the order, so they are not all read to be sorted; which
     * one is best depends on what is asked for.
     */
    private String prologue(Session session) {
        String ordered = query.clientTxId() == null ? ", set_config('enable_sort', 'off', true)" : "";
        return session.prologue(
                query.user() == null ? Role.SERVICE : Role.APP,
                ", set_config('plan_cache_mode', 'force_custom_plan', true)" + ordered);
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
                places.add(new Place(key.user(), key.key(), record.createdAt(), row.getString(4)));
            }
        }
        return true;
    }
}
