package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.DocumentId;
import dev.semel.store.Quota;
import dev.semel.store.StoreException;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.CommitResult;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Commits whose connection breaks, or whose group is rejected. */
@Tag("jdk")
class LostConnectionsTest {

    private final DataSource database = Postgres.NEWEST.usedDatabase();
    private final Pool pool = new Pool(database);

    private PostgresStore open() {
        return PostgresStore.open(pool, PostgresSettings.DEFAULTS.withoutMigration());
    }

    private static DocumentId id(String key) {
        return new DocumentId("things", "", key);
    }

    @AfterEach
    void giveBack() {
        pool.close();
        Postgres.NEWEST.giveBack(database);
    }

    @Test
    void commitWithLostResponse_isNotTooLateForWhatCameAfterIt() {
        AtomicBoolean breaks = new AtomicBoolean();
        DataSource breaking = BreakingSource.of(
                pool,
                BreakingSource.Break.BEFORE_THE_ANSWER_COMES,
                sql -> sql.contains(".documents") && breaks.getAndSet(false),
                () -> {});
        DocumentId read = id("read");
        DocumentId written = id("written");
        try (PostgresStore store = PostgresStore.open(breaking, PostgresSettings.DEFAULTS.withoutMigration())) {
            store.commit(Stored.write("w1", read, null));
            Commit first = new Commit(
                    "first",
                    null,
                    Map.of(read, "w1", written, ""),
                    List.of(new DocumentWrite.Put(Stored.document(written, "first", null), List.of())));
            breaks.set(true);
            assertThatThrownBy(() -> store.commit(first)).isInstanceOf(StoreException.class);
            Commit second = new Commit(
                    "second",
                    null,
                    Map.of(read, "w1"),
                    List.of(new DocumentWrite.Put(Stored.document(read, "second", null), List.of())));
            assertThat(store.commit(second)).isInstanceOf(CommitResult.Applied.class);
            assertThat(store.commit(first)).isInstanceOf(CommitResult.Applied.class);
        }
    }

    @Test
    void commitsWhoseConnectionIsCut_areResolvedByAskingAgain() throws Exception {
        int callers = 8;
        int each = 40;
        AtomicInteger lost = new AtomicInteger();
        Semaphore answered = new Semaphore(0);
        try (PostgresStore store = open()) {
            ExecutorService threads = Executors.newFixedThreadPool(callers);
            try {
                List<Future<?>> commits = new ArrayList<>();
                for (int i = 0; i < callers; i++) {
                    int caller = i;
                    commits.add(threads.submit(() -> {
                        for (int j = 0; j < each; j++) {
                            String name = caller + "-" + j;
                            commitUntilAnswered(store, Stored.commit(name, Stored.key("ann", name), id(name)), lost);
                            answered.release();
                        }
                        return null;
                    }));
                }
                for (int kills = 0; kills < 20; kills++) {
                    answered.acquire(callers * each / 25);
                    Postgres.ask(
                            database,
                            "select count(pg_terminate_backend(pid)) from pg_stat_activity"
                                    + " where datname = current_database() and pid <> pg_backend_pid()");
                }
                for (Future<?> commit : commits) {
                    commit.get();
                }
            } finally {
                threads.shutdownNow();
            }
        }
        assertThat(lost).hasPositiveValue();
        assertThat(pool.lent()).isZero();
        assertThat(Postgres.ask(database, "select count(*) from idempotency_keys"))
                .isEqualTo("" + callers * each);
        assertThat(Postgres.ask(database, "select count(*) from documents")).isEqualTo("" + callers * each);
    }

    /** Sent again, the commit has the same result and fencing token each time. */
    private static void commitUntilAnswered(PostgresStore store, Commit commit, AtomicInteger lost) {
        while (true) {
            try {
                CommitResult first = store.commit(commit);
                assertThat(first).isInstanceOf(CommitResult.Applied.class);
                assertThat(store.commit(commit)).isEqualTo(first);
                return;
            } catch (StoreException e) {
                assertThat(e.isCertain()).isFalse();
                lost.incrementAndGet();
            }
        }
    }

    @Test
    void databaseOutOfReach_isReported_andNothingIsKeptInUse() {
        org.postgresql.ds.PGSimpleDataSource nowhere = new org.postgresql.ds.PGSimpleDataSource();
        nowhere.setUrl("jdbc:postgresql://localhost:1/nowhere");
        assertThatThrownBy(() -> PostgresStore.open(nowhere, PostgresSettings.DEFAULTS))
                .isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> PostgresStore.open(nowhere, PostgresSettings.DEFAULTS.withoutMigration()))
                .isInstanceOf(StoreException.class)
                .matches(e -> !((StoreException) e).isCertain());
    }

    @Test
    void commitThatTheDatabaseRefuses_doesNotFailThoseItCameWith() {
        PendingCommit good = new PendingCommit(Stored.commit("good", Stored.key("ann", "good"), id("good")));
        PendingCommit bad = new PendingCommit(
                Commit.of("bad", Stored.completed(Stored.key("ann", "bad"), "no \0 in a text", Quota.NONE)));
        PendingCommit other = new PendingCommit(Stored.commit("other", Stored.key("bob", "other"), id("other")));
        try (PostgresStore store = open()) {
            store.commits.commitTogether(List.of(good, bad, other));
            assertThat(List.of(good, bad, other)).allMatch(PendingCommit::isBusy, "goes alone");
            assertThat(store.commit(good.commit)).isInstanceOf(CommitResult.Applied.class);
            assertThat(store.commit(other.commit)).isInstanceOf(CommitResult.Applied.class);
            assertThatThrownBy(() -> store.commit(bad.commit)).isInstanceOf(StoreException.class);
            assertThat(store.read(id("good"))).isPresent();
            assertThat(store.find(Stored.key("ann", "bad")).record()).isNull();
        }
        assertThat(pool.lent()).isZero();
    }

    @Test
    void commitsOfAGroup_holdOrFallAlone() {
        try (PostgresStore store = open()) {
            store.commit(Stored.commit("first", Stored.key("ann", "taken"), id("taken")));
            List<PendingCommit> group = new ArrayList<>();
            group.add(new PendingCommit(Stored.commit("a", Stored.key("ann", "a"), id("a"))));
            group.add(new PendingCommit(Stored.commit("b", Stored.key("ann", "taken"), id("b"))));
            group.add(new PendingCommit(Stored.commit("c", Stored.key("ann", "c"), id("taken"))));
            group.add(new PendingCommit(Stored.write("d", id("d"), null)));
            group.add(new PendingCommit(new Commit("e", null, Map.of(id("nowhere"), "another commit"), List.of())));
            store.commits.commitTogether(group);
            assertThat(group.get(0).result()).isInstanceOf(CommitResult.Applied.class);
            assertThat(group.get(1).result()).isEqualTo(new CommitResult.RecordConflict());
            assertThat(group.get(2).result()).isEqualTo(new CommitResult.DocumentConflict(id("taken"), 1));
            assertThat(group.get(3).result()).isEqualTo(new CommitResult.Applied(null));
            assertThat(group.get(4).result()).isEqualTo(new CommitResult.DocumentConflict(id("nowhere"), 0));
            assertThat(store.read(id("b"))).isEmpty();
            assertThat(store.find(Stored.key("ann", "c")).record()).isNull();
            assertThat(store.read(id("d"))).isPresent();
        }
    }

    @Test
    void closedStore_refuses() {
        PostgresStore store = open();
        store.close();
        assertThatThrownBy(() -> store.read(id("a")))
                .isInstanceOf(StoreException.class)
                .matches(e -> ((StoreException) e).isCertain());
    }

    @Test
    void valuesOfRows_areNotInTheMessage() throws SQLException {
        DataSource other = Postgres.NEWEST.database();
        Postgres.execute(other, "alter table documents add constraint small check (length(data) < 3)");
        try (PostgresStore store = PostgresStore.open(other, PostgresSettings.DEFAULTS.withoutMigration())) {
            assertThatThrownBy(() -> store.commit(Stored.write("secret-attempt", id("secret-key"), null)))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("small")
                    .hasMessageNotContaining("secret");
        }
    }
}
