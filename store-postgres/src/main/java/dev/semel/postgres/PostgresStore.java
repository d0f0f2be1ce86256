package dev.semel.postgres;

import dev.semel.postgres.Schema.Part;
import dev.semel.postgres.StatementListener.Work;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.StoreException;
import dev.semel.store.internal.GroupCommit;
import dev.semel.store.internal.Watchers;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.DocumentStore;
import dev.semel.store.spi.DocumentStore.Scan;
import dev.semel.store.spi.OrderedStore;
import java.sql.Connection;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Stores idempotency records and documents in a PostgreSQL database. {@link PostgresOnceStore} describes how the database is used. */
public final class PostgresStore extends PostgresOnceStore implements OrderedStore, DocumentStore.Jdbc {

    private final Session reading;
    private final Session scanning;
    private final CallerDocuments callerDocuments;
    private final GroupCommit<DocumentReads.Wanted> reads =
            new GroupCommit<>(this::readTogether, any -> 1, Commits.MOST_TOGETHER);
    private final DataSource listeningSource;
    private final Watchers watchers = new Watchers();
    private @Nullable CommitNotifications notifications; // while there are watchers

    private PostgresStore(
            DataSource source,
            DataSource listening,
            PostgresSettings settings,
            StatementListener listener,
            @Nullable InstantSource clock) {
        super(source, settings, listener, clock, List.of(Part.values()));
        this.reading = session.doing(Work.READ);
        this.scanning = session.doing(Work.SCAN);
        this.callerDocuments = new CallerDocuments(session.texts());
        this.listeningSource = listening;
    }

    /**
     * Opens the store, and installs its tables if they are missing.
     *
     * @param source provides the connections; closing the store does not close it
     * @throws StoreException if the database cannot be used; the message names what is missing or forbidden
     */
    public static PostgresStore open(DataSource source, PostgresSettings settings) {
        return open(source, source, settings, StatementListener.NONE);
    }

    /**
     * Opens the store, and installs its tables if they are missing.
     *
     * @param source provides the connections; closing the store does not close it
     * @param listening provides the connection that is kept open while there are {@linkplain #watch watchers}, so it should not be the
     *     pool
     * @param listener receives the duration of each statement
     * @throws StoreException if the database cannot be used; the message names what is missing or forbidden
     */
    public static PostgresStore open(
            DataSource source, DataSource listening, PostgresSettings settings, StatementListener listener) {
        return new PostgresStore(source, listening, settings, listener, null);
    }

    /** @param clock the time for tests; null for the database's time */
    static PostgresStore open(DataSource source, PostgresSettings settings, @Nullable InstantSource clock) {
        return new PostgresStore(source, source, settings, StatementListener.NONE, clock);
    }

    @Override
    public Optional<Document> read(DocumentId id) {
        checkOpen();
        commits.awaitFree(id);
        DocumentReads.Wanted wanted = new DocumentReads.Wanted(id);
        reads.write(wanted);
        return Optional.ofNullable(wanted.document);
    }

    private void readTogether(List<DocumentReads.Wanted> wanted) {
        DocumentReads.run(reading, givenTime(), wanted);
    }

    @Override
    public List<Document> scan(Scan scan) {
        checkOpen();
        return new DocumentScan(scan).run(scanning, givenTime());
    }

    @Override
    public CommitResult commit(Commit commit) {
        checkOpen();
        return commits.commit(commit);
    }

    @Override
    public boolean create(Connection connection, String commitId, Commit.DocumentWrite.Put put) {
        checkOpen();
        return callerDocuments.create(connection, commitId, put);
    }

    @Override
    public List<Document> scan(Connection connection, Scan scan) {
        checkOpen();
        return callerDocuments.scan(connection, scan, givenTime());
    }

    /** Runs the task after commits of all servers, which PostgreSQL reports by notifications. */
    @Override
    public synchronized Runnable watch(Runnable task) {
        checkOpen();
        Runnable end = watchers.add(task);
        if (notifications == null) {
            notifications = CommitNotifications.start(listeningSource, watchers::signal);
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
        if (notifications != null) {
            notifications.close();
            notifications = null;
        }
    }

    @Override
    public void close() {
        super.close();
        stopListening();
    }
}
