package dev.semel.postgres;

import dev.semel.postgres.Session.Role;
import dev.semel.postgres.StatementListener.Work;
import dev.semel.store.Cleanup;
import dev.semel.store.DocumentId;
import dev.semel.store.Housekeeping;
import dev.semel.store.KeyPage;
import dev.semel.store.KeyQuery;
import dev.semel.store.SweepStep;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Keeps the tables in order. */
final class KeyKeeping implements Housekeeping {

    private static final int ROWS_AT_A_TIME = 500;

    /** Tells how many rows were seen and how many are gone: those that somebody was just changing have to be looked at again. */
    private static final String ERASE_KEYS = "with u as materialized (select ?::text as id),"
            + " g as materialized (select k.ctid as tid from idempotency_keys k where k.user_id = (select id from u) limit "
            + ROWS_AT_A_TIME + " for update),"
            + " gone as (delete from idempotency_keys z using g where z.ctid = g.tid returning 1),"
            + " starts as (delete from earlier_starts where user_id = (select id from u))"
            + " select (select count(*) from g), (select count(*) from gone)";

    private static final String SOME_DOCUMENTS =
            "select k.key from documents k where k.collection = ? and k.owner = ? limit " + Sweep.LOCKS_AT_A_TIME;

    private static final String ERASE_DOCUMENTS = "with gone as (delete from documents z using (select y.tid"
            + " from unnest(?::text[]) x(key) cross join lateral (select k.ctid as tid from documents k"
            + " where k.collection = ? and k.owner = ? and k.key = x.key limit 1) y) g"
            + " where z.ctid = g.tid returning z.collection, z.owner, z.found_by), " + Sweep.WITH_FURTHER_KEYS
            + " select count(*) from gone";

    private static final String NEXT_COLLECTION = "select min(collection) from documents where collection > ?";

    private final PostgresStore store;
    private final Session listing;
    private final Session session;
    private final Sweep sweep;

    KeyKeeping(PostgresStore store, Session session) {
        this.store = store;
        this.listing = session.doing(Work.LIST);
        this.session = session.doing(Work.ERASE);
        this.sweep = new Sweep(session.doing(Work.SWEEP));
    }

    @Override
    public KeyPage list(KeyQuery query) {
        store.refuseIfClosed();
        return new Listing(query, store.clock().instant()).run(listing);
    }

    @Override
    public SweepStep sweep(String from) {
        store.refuseIfClosed();
        return sweep.step(from, store.givenTime());
    }

    @Override
    public void log(List<Cleanup> cleanups) {
        store.refuseIfClosed();
        sweep.log(cleanups);
    }

    @Override
    public List<Cleanup> cleanups(@Nullable Cleanup after, int limit) {
        store.refuseIfClosed();
        return sweep.logged(after, limit);
    }

    /** The space of erased rows is PostgreSQL's to take back, when it vacuums. */
    @Override
    public Map<String, Long> erase(String user, boolean withDocuments) {
        store.refuseIfClosed();
        Map<String, Long> erased = new HashMap<>();
        erased.put(KEYS, eraseKeys(user));
        if (withDocuments) {
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
                session.prologue(Role.SERVICE) + NEXT_COLLECTION,
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
                session.prologue(Role.SERVICE) + SOME_DOCUMENTS,
                to -> to.text("").text(collection).text(user),
                rows -> {
                    List<DocumentId> some = new ArrayList<>();
                    while (rows.next()) {
                        some.add(new DocumentId(collection, user, rows.getString(1)));
                    }
                    return some;
                });
    }

    /** Waits for those who are at them, as any commit does, and in the same order. */
    private long eraseDocuments(List<DocumentId> some, String collection, String user) {
        return session.run(
                session.prologue(Role.SERVICE, CommitSql.WAIT_FOR_LOCKS) + ERASE_DOCUMENTS,
                to -> to.text("")
                        .numbers(some.stream()
                                .map(id -> RowId.of(id).lock())
                                .sorted()
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
                    session.prologue(Role.SERVICE) + ERASE_KEYS,
                    to -> to.text("").text(user),
                    rows -> {
                        rows.next();
                        erased.addAndGet(rows.getLong(2));
                        return rows.getLong(1);
                    });
        } while (seen > 0);
        return erased.get();
    }
}
