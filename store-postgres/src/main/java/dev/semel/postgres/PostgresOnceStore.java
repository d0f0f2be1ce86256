package dev.semel.postgres;

import dev.semel.postgres.Schema.Part;
import dev.semel.postgres.StatementListener.Work;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.Quota;
import dev.semel.store.StoreException;
import dev.semel.store.admin.AdminStore;
import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.internal.GroupCommit;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.OnceStore.Lookup;
import dev.semel.store.spi.QuotaStore;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Stores idempotency records in a PostgreSQL database that any number of servers share: what one server acknowledged, all others see.
 * This is enough for leased operations and {@linkplain CallerTransactions caller-managed transactions}; a {@link PostgresStore} also
 * stores documents. Time is the database's, so the clocks of servers may differ.
 *
 * <p>The store takes a connection from a {@link DataSource} for each transaction, and leaves no setting on it. A transaction acts as the
 * role {@code semel_app} for the users of its rows, or as {@code semel_service} for maintenance. Statements name their tables with the
 * schema, so the search path of a connection has no effect. A store is safe for use by many threads.
 */
public sealed class PostgresOnceStore implements QuotaStore, AdminStore permits PostgresStore {

    private static final String PROTOCOL_VIOLATION = "08P01";

    final Session session;
    final DatabaseClock clock;
    final Commits commits;

    private final Session finding;
    private final GroupCommit<KeyLookups.Wanted> lookups =
            new GroupCommit<>(this::findTogether, any -> 1, Commits.MOST_TOGETHER);
    private final CallerSql callerSql;
    private final StoreAdmin admin;
    private volatile boolean closed;

    /** @param parts the tables that the store uses */
    PostgresOnceStore(
            DataSource source,
            PostgresSettings settings,
            StatementListener listener,
            @Nullable InstantSource clock,
            List<Part> parts) {
        Schema.prepare(source, settings, parts);
        this.session = new Session(source, settings, listener);
        long asked = System.nanoTime();
        this.clock = new DatabaseClock(clock, firstLook(session), asked);
        this.commits = new Commits(session, this.clock, settings.lockTimeout());
        this.finding = session.doing(Work.FIND);
        this.callerSql = new CallerSql(session.texts(), session.locks());
        this.admin = new PostgresAdmin(this, session, parts.contains(Part.DOCUMENTS));
    }

    /**
     * Opens a store of idempotency records without documents, and installs its tables if they are missing.
     *
     * @param source provides the connections; closing the store does not close it
     * @throws StoreException if the database cannot be used; the message names what is missing or forbidden
     */
    public static PostgresOnceStore open(DataSource source, PostgresSettings settings) {
        return open(source, settings, StatementListener.NONE);
    }

    /**
     * Opens a store of idempotency records without documents, and installs its tables if they are missing.
     *
     * @param source provides the connections; closing the store does not close it
     * @param listener receives the duration of each statement
     * @throws StoreException if the database cannot be used; the message names what is missing or forbidden
     */
    public static PostgresOnceStore open(DataSource source, PostgresSettings settings, StatementListener listener) {
        return open(source, settings, listener, null);
    }

    /** @param clock the time for tests; null for the database's time */
    static PostgresOnceStore open(
            DataSource source, PostgresSettings settings, StatementListener listener, @Nullable InstantSource clock) {
        return new PostgresOnceStore(source, settings, listener, clock, List.of(Part.RECORDS));
    }

    /** Checks that the login can act in both roles, and returns the database's time. */
    private static Instant firstLook(Session session) {
        try {
            Instant now = firstLook(session, Session.Role.APP);
            firstLook(session, Session.Role.SERVICE);
            session.rejectIfSplit();
            return now;
        } catch (StoreException e) {
            if (e.getCause() instanceof SQLException failure && PROTOCOL_VIOLATION.equals(failure.getSQLState())) {
                throw StoreException.rejected("The database cannot be used. The driver cannot send several statements"
                        + " together: remove its setting prepareThreshold=-1");
            }
            throw e;
        }
    }

    private static Instant firstLook(Session session, Session.Role role) {
        String sql = session.sql(role, """
                select clock_timestamp(), (select count(*) from (select from {schema}.idempotency_records limit 1) k)
                """);
        return session.run(sql, to -> to.text(""), rows -> {
            rows.next();
            return IdempotencyRow.instant(rows, 1);
        });
    }

    @Override
    public final InstantSource clock() {
        return clock;
    }

    /** Returns the time of a test; null for the database's time. */
    final @Nullable Instant givenTime() {
        return clock.given();
    }

    final DataSource source() {
        return session.source();
    }

    final CallerSql callerSql() {
        return callerSql;
    }

    @Override
    public final Lookup find(IdempotencyKey key, Quota quota) {
        checkOpen();
        KeyLookups.Wanted wanted = new KeyLookups.Wanted(key, quota);
        lookups.write(wanted);
        Lookup lookup = wanted.lookup;
        if (lookup == null) {
            throw StoreException.unavailable("The database returned no result of a lookup", null);
        }
        return lookup;
    }

    private void findTogether(List<KeyLookups.Wanted> wanted) {
        long asked = System.nanoTime();
        clock.observe(KeyLookups.run(finding, givenTime(), wanted), asked);
    }

    @Override
    public final CommitResult compareAndSet(String commitId, IdempotencyWrite write) {
        checkOpen();
        return commits.commit(Commit.of(commitId, write));
    }

    @Override
    public final StoreAdmin admin() {
        return admin;
    }

    final void checkOpen() {
        if (closed) {
            throw StoreException.rejected("The store is closed");
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
