package dev.semel.postgres;

import dev.semel.postgres.StatementListener.Work;
import dev.semel.store.Capability;
import dev.semel.store.Commit;
import dev.semel.store.CommitResult;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.GroupWriter;
import dev.semel.store.Housekeeping;
import dev.semel.store.OnceKey;
import dev.semel.store.OnceWrite;
import dev.semel.store.Quota;
import dev.semel.store.RowLocks;
import dev.semel.store.Scan;
import dev.semel.store.Sighting;
import dev.semel.store.Store;
import dev.semel.store.StoreException;
import dev.semel.store.Watchers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Keeps everything in a PostgreSQL database, which any number of servers share: what one has acknowledged, all see. It counts by the
 * database's time, so their clocks may differ.
 *
 * <p>Callers that come at the same time share a round trip, and a commit to disk with it ({@link CommitGroup}). Within a process the
 * rows of a commit are locked until it is done, so that no two of a group have one in common; between processes, by advisory
 * locks of the transaction. What another transaction holds for long, a row or the count of a user's keys, does not hold up the
 * group: its commit waits alone.
 *
 * <p>Connections are taken from a {@link DataSource} for one transaction each, and may be others each time. Every transaction acts
 * as the role {@code semel_app}, and for the users whose rows it is about.
 */
public final class PostgresStore implements Store {

    private static final Set<Capability> CAPABILITIES = Collections.unmodifiableSet(EnumSet.allOf(Capability.class));

    /** The most callers that share a round trip. */
    private static final int MOST_TOGETHER = 63;

    /** Longer than most commits take. */
    private static final Duration SHORTLY = Duration.ofMillis(5);

    private final Session session;
    private final Session finding;
    private final Session reading;
    private final Session scanning;
    private final Session committing;
    private final @Nullable InstantSource givenClock;
    private final DatabaseClock clock;
    private final RowLocks locks = new RowLocks();
    private final Turns turns;
    private final Superseded superseded = new Superseded();
    private final GroupWriter<PendingCommit> commits =
            new GroupWriter<>(this::commitTogether, PendingCommit::bytes, MOST_TOGETHER);
    private final GroupWriter<Finding.Wanted> finds = new GroupWriter<>(this::findTogether, any -> 1, MOST_TOGETHER);
    private final GroupWriter<Reading.Wanted> reads = new GroupWriter<>(this::readTogether, any -> 1, MOST_TOGETHER);
    private final Housekeeping housekeeping;
    private final DataSource listeningSource;
    private final Watchers watchers = new Watchers();
    private @Nullable Listening listening; // as long as somebody watches
    private volatile boolean closed;

    private PostgresStore(
            Session session, Duration lockTimeout, DataSource listeningSource, @Nullable InstantSource givenClock) {
        this.session = session;
        this.turns = new Turns(lockTimeout);
        this.finding = session.doing(Work.FIND);
        this.reading = session.doing(Work.READ);
        this.scanning = session.doing(Work.SCAN);
        this.committing = session.doing(Work.COMMIT);
        this.givenClock = givenClock;
        long asked = System.nanoTime();
        this.clock = new DatabaseClock(firstLook(session), asked);
        this.housekeeping = new KeyKeeping(this, session);
        this.listeningSource = listeningSource;
    }

    /**
     * Opens the store in a database.
     *
     * @param source gives connections, and stays the caller's: it is not closed with the store. The first schema of their
     *     {@code search_path} holds the tables
     * @throws StoreException if the database cannot be reached, if its tables are newer than this release, if its encoding is not
     *     UTF8, if transactions are not read committed by default, if the login may not act as Semel's roles, or if the driver
     *     was told to send what belongs together apart; says which
     */
    public static PostgresStore open(DataSource source, PostgresSettings settings) {
        return open(source, source, settings, StatementListener.NONE);
    }

    /**
     * The same where connections come from a pool.
     *
     * @param listening gives the one connection that is kept as long as somebody {@linkplain #watch watches}, and should not be
     *     the pool
     * @param listener hears what statements take
     */
    public static PostgresStore open(
            DataSource source, DataSource listening, PostgresSettings settings, StatementListener listener) {
        return open(source, listening, settings, listener, null);
    }

    /** Opens a store that counts by a given time, if there is one, and not by the database's. */
    static PostgresStore open(DataSource source, PostgresSettings settings, @Nullable InstantSource clock) {
        return open(source, source, settings, StatementListener.NONE, clock);
    }

    private static PostgresStore open(
            DataSource source,
            DataSource listening,
            PostgresSettings settings,
            StatementListener listener,
            @Nullable InstantSource clock) {
        if (settings.migrate()) {
            Schema.migrate(source);
        }
        return new PostgresStore(new Session(source, settings, listener), settings.lockTimeout(), listening, clock);
    }

    /** Looks whether the database can be used in both roles, and what time it is. */
    private static Instant firstLook(Session session) {
        Instant now = firstLook(session, Session.Role.APP);
        firstLook(session, Session.Role.SERVICE);
        session.refuseIfSplit();
        return now;
    }

    private static Instant firstLook(Session session, Session.Role role) {
        return session.run(
                session.prologue(role)
                        + "select clock_timestamp(), current_setting('transaction_isolation'), current_setting('server_encoding'),"
                        + " (select count(*) from (select from idempotency_keys limit 1) k),"
                        + " (select count(*) from (select from semel_starts limit 1) k)", // the latest that is needed
                to -> to.text(""),
                rows -> {
                    rows.next();
                    refuseUnless("read committed", rows.getString(2), "Its default isolation is");
                    refuseUnless("UTF8", rows.getString(3), "Its encoding is");
                    return OnceRow.instant(rows, 1);
                });
    }

    /** In stricter transactions what is checked would be seen as it was before the locks; other encodings lack characters. */
    private static void refuseUnless(String needed, String found, String what) {
        if (!found.equals(needed)) {
            throw StoreException.refused(
                    "The database cannot be used. " + what + " " + found + ", and has to be " + needed);
        }
    }

    @Override
    public Set<Capability> capabilities() {
        return CAPABILITIES;
    }

    @Override
    public InstantSource clock() {
        return givenClock == null ? clock : () -> Parameters.kept(givenClock.instant());
    }

    /** What to count by; null for the database's time. */
    @Nullable Instant givenTime() {
        return givenClock == null ? null : givenClock.instant();
    }

    /** What gives connections. */
    DataSource source() {
        return session.source();
    }

    @Override
    public Sighting find(OnceKey key, Quota quota) {
        refuseIfClosed();
        Finding.Wanted wanted = new Finding.Wanted(key, quota);
        finds.write(wanted);
        Sighting sighting = wanted.sighting;
        if (sighting == null) {
            throw StoreException.unavailable("The database gave no answer to a look-up", null);
        }
        return sighting;
    }

    private void findTogether(List<Finding.Wanted> wanted) {
        long asked = System.nanoTime();
        clock.tell(Finding.run(finding, givenTime(), wanted), asked);
    }

    @Override
    public Optional<Document> read(DocumentId id) {
        refuseIfClosed();
        locks.awaitFree(RowId.of(id).bytes(), SHORTLY);
        Reading.Wanted wanted = new Reading.Wanted(id);
        reads.write(wanted);
        return Optional.ofNullable(wanted.document);
    }

    private void readTogether(List<Reading.Wanted> wanted) {
        Reading.run(reading, givenTime(), wanted);
    }

    @Override
    public List<Document> scan(Scan scan) {
        refuseIfClosed();
        return new Scanning(scan).run(scanning, givenTime());
    }

    @Override
    public CommitResult commit(Commit commit) {
        refuseIfClosed();
        PendingCommit pending = new PendingCommit(commit);
        RowLocks.Held held =
                locks.lock(pending.rows().stream().map(RowId::bytes).toList());
        try {
            CommitResult.Stale late = superseded.check(commit);
            if (late != null) {
                return late;
            }
            commits.write(pending);
            if (pending.isBusy()) {
                commitAfterOthers(pending);
            }
            CommitResult result = pending.result();
            if (result instanceof CommitResult.Applied) {
                superseded.note(commit);
            }
            return result;
        } catch (RuntimeException e) {
            superseded.doubt(commit);
            throw e;
        } finally {
            held.release();
        }
    }

    /** If one of them keeps the others from being committed, all are left busy, so that each goes alone and holds up nobody. */
    void commitTogether(List<PendingCommit> group) {
        List<PendingCommit> others = createTogether(group);
        try {
            if (!others.isEmpty()) {
                commit(others, false);
            }
        } catch (StoreException e) {
            if (others.size() == 1 || !Session.isRefusal(e)) {
                others.forEach(pending -> pending.fail(e));
            }
        }
    }

    /** Tries the shorter way with those that only create; returns those that are still to be committed. */
    private List<PendingCommit> createTogether(List<PendingCommit> group) {
        List<PendingCommit> creations =
                group.stream().filter(PendingCommit::isCreation).toList();
        Creations together = new Creations(creations);
        if (creations.isEmpty() || !together.mayFit()) {
            return group;
        }
        try {
            long asked = System.nanoTime();
            clock.tell(together.run(committing, givenTime()), asked);
        } catch (StoreException e) {
            if (Session.isRefusal(e)) {
                return group;
            }
            creations.forEach(pending -> pending.fail(e));
        }
        return group.stream().filter(pending -> !pending.isCreation()).toList();
    }

    /** Commits of a user whose keys are counted go one after another, or else they would wait on a connection each. */
    private void commitAfterOthers(PendingCommit pending) {
        OnceWrite once = pending.commit.once();
        if (once == null || !pending.isCounted()) {
            commitAlone(pending);
            return;
        }
        RowId user = RowId.ofUser(once.record().key().user());
        if (!turns.run(user, () -> commitAlone(pending))) {
            pending.fail(StoreException.unavailable("Other commits of the user take too long", null));
        }
    }

    private void commitAlone(PendingCommit pending) {
        try {
            commit(List.of(pending), true);
        } catch (StoreException e) {
            pending.fail(e);
        }
    }

    private void commit(List<PendingCommit> group, boolean alone) {
        long asked = System.nanoTime();
        clock.tell(new CommitGroup(group, alone).run(committing, givenTime()), asked);
    }

    @Override
    public Housekeeping housekeeping() {
        return housekeeping;
    }

    void refuseIfClosed() {
        if (closed) {
            throw StoreException.refused("The store is closed");
        }
    }

    /** By notifications of the database: commits of all servers are told. */
    @Override
    public synchronized Runnable watch(Runnable task) {
        refuseIfClosed();
        Runnable end = watchers.add(task);
        if (listening == null) {
            listening = Listening.begin(listeningSource, watchers::tell);
        }
        return () -> unwatch(end);
    }

    private synchronized void unwatch(Runnable end) {
        end.run();
        if (watchers.isEmpty()) {
            stopListening();
        }
    }

    private synchronized void stopListening() {
        if (listening != null) {
            listening.close();
            listening = null;
        }
    }

    @Override
    public void close() {
        closed = true;
        stopListening();
    }
}
