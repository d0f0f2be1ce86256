package dev.semel.postgres;

import dev.semel.postgres.Session.Role;
import dev.semel.postgres.StatementListener.Work;
import dev.semel.store.DocumentId;
import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.admin.StoreAdmin.KeyQuery;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Administration of the tables. */
final class PostgresAdmin implements StoreAdmin {

    private static final int ROWS_AT_A_TIME = 500;

    /** Returns how many rows were found and how many were deleted: a row that was changed meanwhile is not deleted, and found again. */
    private static final String ERASE_KEYS = """
            with seen as materialized (
              select k.ctid as row_id from {schema}.idempotency_records k where k.user_id = ? limit %d for update),
            gone as (delete from {schema}.idempotency_records z using seen where z.ctid = seen.row_id returning 1)
            select (select count(*) from seen), (select count(*) from gone)
            """.formatted(ROWS_AT_A_TIME);

    private static final String SOME_DOCUMENTS =
            "select k.key from {schema}.documents k where k.collection = ? and k.owner = ? limit "
                    + Sweep.LOCKS_AT_A_TIME;

    private static final String ERASE_DOCUMENTS = """
            with gone as (
              delete from {schema}.documents z using (
                select y.row_id from unnest(?::text[]) x(key) cross join lateral (
                  select k.ctid as row_id from {schema}.documents k
                  where k.collection = ? and k.owner = ? and k.key = x.key limit 1) y) g
              where z.ctid = g.row_id returning z.collection, z.owner, z.index_entries),
            %s select count(*) from gone
            """.formatted(Sweep.WITH_INDEX_ENTRIES);

    private static final String NEXT_COLLECTION = "select min(collection) from {schema}.documents where collection > ?";

    private final PostgresOnceStore store;
    private final Session listing;
    private final Session session;
    private final Sweep sweep;
    private final boolean hasDocuments;

    private static final String NEXT_OWNER =
            "select min(owner) from {schema}.documents where collection = ? and owner > ?";

    PostgresAdmin(PostgresOnceStore store, Session session, boolean hasDocuments) {
        this.store = store;
        this.listing = session.doing(Work.LIST);
        this.session = session.doing(Work.ERASE);
        this.sweep = new Sweep(session.doing(Work.SWEEP), hasDocuments);
        this.hasDocuments = hasDocuments;
    }

    @Override
    public InstantSource clock() {
        return store.clock();
    }

    @Override
    public KeyPage list(KeyQuery query) {
        store.checkOpen();
        return new KeyListing(query, store.clock().instant()).run(listing);
    }

    @Override
    public SweepStep sweep(String cursor) {
        store.checkOpen();
        return sweep.step(cursor, store.givenTime());
    }

    @Override
    public void log(List<Cleanup> cleanups) {
        store.checkOpen();
        sweep.log(cleanups);
    }

    @Override
    public List<Cleanup> cleanups(@Nullable Cleanup after, int limit) {
        store.checkOpen();
        return sweep.logged(after, limit);
    }

    @Override
    public Optional<String> nextOwner(String collection, String after) {
        store.checkOpen();
        return hasDocuments
                ? listing.run(
                        listing.sql(Role.SERVICE, NEXT_OWNER),
                        to -> to.text("").text(collection).text(after),
                        rows -> rows.next() ? Optional.ofNullable(rows.getString(1)) : Optional.empty())
                : Optional.empty();
    }

    /** The bytes of the deleted rows stay in the table's files until PostgreSQL vacuums them. */
    @Override
    public Map<String, Long> erase(String user, boolean withDocuments) {
        store.checkOpen();
        Map<String, Long> erased = new HashMap<>();
        erased.put(KEYS, eraseKeys(user));
        if (withDocuments && hasDocuments) {
            erased.put(DOCUMENTS, eraseDocuments(user));
        }
        return erased;
    }

    private long eraseDocuments(String user) {
        long erased = 0;
        Optional<String> collection = collectionAfter("");
        while (collection.isPresent()) {
            erased += eraseDocuments(collection.get(), user);
            collection = collectionAfter(collection.get());
        }
        return erased;
    }

    private Optional<String> collectionAfter(String after) {
        return session.run(
                session.sql(Role.SERVICE, NEXT_COLLECTION),
                to -> to.text("").text(after),
                rows -> rows.next() ? Optional.ofNullable(rows.getString(1)) : Optional.empty());
    }

    private long eraseDocuments(String collection, String user) {
        long erased = 0;
        List<DocumentId> some = someDocuments(collection, user);
        while (!some.isEmpty()) {
            erased += eraseDocuments(some, collection, user);
            some = someDocuments(collection, user);
        }
        return erased;
    }

    private List<DocumentId> someDocuments(String collection, String user) {
        return session.run(
                session.sql(Role.SERVICE, SOME_DOCUMENTS),
                to -> to.text("").text(collection).text(user),
                rows -> {
                    List<DocumentId> some = new ArrayList<>();
                    while (rows.next()) {
                        some.add(new DocumentId(collection, user, rows.getString(1)));
                    }
                    return some;
                });
    }

    /** Waits for the locks of the documents in the same order as a commit does. */
    private long eraseDocuments(List<DocumentId> some, String collection, String user) {
        return session.run(
                session.sql(Role.SERVICE, CommitSql.WAIT_FOR_LOCKS, ERASE_DOCUMENTS),
                to -> to.text("")
                        .numbers(Stream.concat(
                                        Stream.of(session.locks().ofDocuments()),
                                        some.stream()
                                                .map(id -> session.locks().of(RowId.of(id)))
                                                .sorted())
                                .toList())
                        .texts(some.stream().map(DocumentId::key).toList())
                        .text(collection)
                        .text(user),
                rows -> rows.next() ? rows.getLong(1) : 0);
    }

    private long eraseKeys(String user) {
        AtomicLong erased = new AtomicLong();
        long seen;
        do {
            seen = session.run(
                    session.sql(Role.SERVICE, ERASE_KEYS), to -> to.text("").text(user), rows -> {
                        rows.next();
                        erased.addAndGet(rows.getLong(2));
                        return rows.getLong(1);
                    });
        } while (seen > 0);
        return erased.get();
    }
}
