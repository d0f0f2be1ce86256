package dev.semel.postgres;

import dev.semel.postgres.Session.Role;
import dev.semel.postgres.StatementListener.Work;
import dev.semel.store.Cleanup;
import dev.semel.store.Housekeeping;
import dev.semel.store.KeyPage;
import dev.semel.store.KeyQuery;
import dev.semel.store.SweepStep;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Keeps the tables in order. */
final class KeyKeeping implements Housekeeping {

    private static final int ROWS_AT_A_TIME = 500;

    private static final String ERASE_KEYS = erase("idempotency_keys", "k.user_id = ?");

    private static final String ERASE_DOCUMENTS = erase("documents", "k.collection = ? and k.owner = ?");

    private static final String ERASE_FURTHER_KEYS = erase("further_keys", "k.collection = ? and k.owner = ?");

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

    private static String erase(String table, String whose) {
        return "with gone as (delete from " + table + " z using (select k.ctid as tid from " + table + " k where "
                + whose + " limit " + ROWS_AT_A_TIME
                + " for update) g where z.ctid = g.tid returning 1) select count(*) from gone";
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
    public List<Cleanup> cleanups(int limit) {
        store.refuseIfClosed();
        return sweep.logged(limit);
    }

    /** The space of erased rows is PostgreSQL's to take back, when it vacuums. */
    @Override
    public Map<String, Long> erase(String user, boolean withDocuments) {
        store.refuseIfClosed();
        Map<String, Long> erased = new HashMap<>();
        erased.put(KEYS, eraseAll(ERASE_KEYS, user));
        if (withDocuments) {
            erased.put(DOCUMENTS, eraseDocuments(user));
        }
        return erased;
    }

    private long eraseDocuments(String user) {
        long erased = 0;
        Optional<String> collection = collectionAfter("");
        while (collection.isPresent()) {
            erased += eraseAll(ERASE_DOCUMENTS, collection.get(), user);
            eraseAll(ERASE_FURTHER_KEYS, collection.get(), user);
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

    private long eraseAll(String sql, String... whose) {
        long all = 0;
        long erased;
        do {
            erased = session.run(
                    session.prologue(Role.SERVICE) + sql,
                    to -> {
                        to.text("");
                        for (String each : whose) {
                            to.text(each);
                        }
                    },
                    rows -> rows.next() ? rows.getLong(1) : 0);
            all += erased;
        } while (erased > 0);
        return all;
    }
}
