package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.Quota;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.CommitResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Commits of more documents than the server has locks. */
class LargeCommitsTest {

    private static final int MANY = 20_000;

    private static final PostgresSettings SETTINGS =
            PostgresSettings.DEFAULTS.withoutMigration().withTimeouts(Duration.ofSeconds(30), Duration.ofSeconds(60));

    private final PGSimpleDataSource database = Postgres.NEWEST.database();
    private final PostgresStore store = PostgresStore.open(database, SETTINGS);

    @AfterEach
    void close() {
        store.close();
    }

    private static DocumentId id(int number) {
        return new DocumentId("things", "", "d" + number);
    }

    private static Commit commit(String id, int documents, String before) {
        Map<DocumentId, String> preconditions = new HashMap<>();
        List<DocumentWrite> writes = new ArrayList<>();
        for (int i = 0; i < documents; i++) {
            preconditions.put(id(i), before);
            writes.add(new DocumentWrite.Put(Stored.document(id(i), id, null), List.of()));
        }
        return new Commit(id, null, preconditions, writes);
    }

    @Test
    void twentyThousandDocuments_areOneCommit() throws SQLException {
        assertThat(store.commit(commit("a", MANY, ""))).isInstanceOf(CommitResult.Applied.class);
        assertThat(store.commit(commit("b", MANY, ""))).isInstanceOf(CommitResult.DocumentConflict.class);
        assertThat(store.commit(commit("c", MANY, "a"))).isInstanceOf(CommitResult.Applied.class);
        assertThat(Postgres.ask(database, "select count(*) from documents where commit_id = 'c'"))
                .isEqualTo(String.valueOf(MANY));
    }

    @Test
    void limitOfSingleLocks_changesNoResult() {
        for (int documents : new int[] {PendingCommit.MOST_LOCKED, PendingCommit.MOST_LOCKED + 1}) {
            String name = "n" + documents;
            assertThat(store.commit(commit(name, documents, documents == PendingCommit.MOST_LOCKED ? "" : "never")))
                    .isInstanceOf(
                            documents == PendingCommit.MOST_LOCKED
                                    ? CommitResult.Applied.class
                                    : CommitResult.DocumentConflict.class);
        }
    }

    /** Versions of one document, written by small commits and by large ones, on two servers. */
    @Test
    void largeAndSmallCommits_loseNoUpdate() throws Exception {
        CyclicBarrier together = new CyclicBarrier(4);
        AtomicBoolean largeDone = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try (PostgresStore other = PostgresStore.open(database, SETTINGS)) {
            List<Future<Integer>> counts = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                PostgresStore server = i % 2 == 0 ? store : other;
                boolean isLarge = i < 2;
                String name = "t" + i;
                counts.add(threads.submit(() -> {
                    together.await();
                    int done = 0;
                    for (int n = 0; isLarge ? done < 10 : !largeDone.get(); n++) {
                        done += isCounted(server, name + "-" + n, isLarge ? 600 : 1) ? 1 : 0;
                    }
                    largeDone.set(true);
                    return done;
                }));
            }
            int sum = 0;
            for (Future<Integer> count : counts) {
                sum += count.get(2, TimeUnit.MINUTES);
            }
            assertThat(store.read(id(0)).orElseThrow().version()).isEqualTo(sum);
        } finally {
            threads.shutdownNow();
        }
    }

    /** Replaces the version of the first document that is stored now; the other documents have no precondition. */
    private static boolean isCounted(PostgresStore server, String commitId, int documents) {
        Document before = server.read(id(0)).orElse(null);
        List<DocumentWrite> writes = new ArrayList<>();
        for (int i = 0; i < documents; i++) {
            Document document = Stored.document(id(i), commitId, null);
            writes.add(new DocumentWrite.Put(
                    new Document(
                            id(i),
                            i > 0 || before == null ? 1 : before.version() + 1,
                            document.createdAt(),
                            document.updatedAt(),
                            null,
                            document.data(),
                            commitId,
                            0),
                    List.of()));
        }
        Map<DocumentId, String> preconditions = Map.of(id(0), before == null ? "" : before.commitId());
        return server.commit(new Commit(commitId, null, preconditions, writes)) instanceof CommitResult.Applied;
    }

    /** As if a large commit was running. */
    @Test
    void commitsWithDocuments_waitForALargeOne_andOthersDoNot() throws SQLException {
        try (Connection large = database.getConnection();
                Statement statement = large.createStatement();
                PostgresStore hasty = PostgresStore.open(
                        database, SETTINGS.withTimeouts(Duration.ofMillis(50), Duration.ofSeconds(5)))) {
            large.setAutoCommit(false);
            statement.execute("select pg_advisory_xact_lock(" + Stored.LOCKS.ofAllDocuments() + ")");
            assertThatThrownBy(() -> hasty.commit(Stored.write("a", id(1), null)))
                    .hasMessageContaining("55P03");
            assertThatThrownBy(() -> hasty.commit(Stored.commit("b", Stored.key("ann", "b"), id(2))))
                    .hasMessageContaining("55P03");
            assertThat(hasty.compareAndSet("c", Stored.completed(Stored.key("ann", "c"), "tx", Quota.NONE)))
                    .isInstanceOf(CommitResult.Applied.class);
            large.rollback();
            assertThat(hasty.commit(Stored.write("a", id(1), null))).isInstanceOf(CommitResult.Applied.class);
        }
    }
}
