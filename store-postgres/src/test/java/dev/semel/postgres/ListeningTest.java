package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.id.IdSchemes;
import dev.semel.json.Json;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.Commit.IndexEntry;
import dev.semel.store.spi.CommitResult;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Watchers are notified of the commits of other servers. */
class ListeningTest {

    private static final String LISTENERS =
            "from pg_stat_activity where datname = current_database() and query = 'listen semel_commits'";

    private final DataSource database = Postgres.NEWEST.usedDatabase();
    private final Pool pool = new Pool(database);
    private final PostgresStore here =
            PostgresStore.open(pool, database, PostgresSettings.DEFAULTS.withoutMigration(), StatementListener.NONE);
    private final PostgresStore there = PostgresStore.open(pool, PostgresSettings.DEFAULTS.withoutMigration());
    private final Semaphore news = new Semaphore(0);

    @AfterEach
    void giveBack() {
        here.close();
        there.close();
        pool.assertNoneLent();
        pool.close();
        Postgres.NEWEST.giveBack(database);
    }

    private void commitThere(IndexEntry... indexEntries) {
        String key = IdSchemes.TID62.mint();
        Instant now = there.clock().instant();
        DocumentId id = new DocumentId("notes", "", key);
        Document note = new Document(id, 1, now, now, null, Json.of("1"), key, 0);
        assertThat(there.commit(new Commit(
                        key, null, Map.of(id, ""), List.of(new DocumentWrite.Put(note, List.of(indexEntries))))))
                .isInstanceOf(CommitResult.Applied.class);
    }

    /** Signalled when it starts to listen, and then for each commit. */
    private void assertTold() throws InterruptedException {
        assertThat(news.tryAcquire(1, TimeUnit.MINUTES)).isTrue();
        for (int i = 0; i < 3; i++) {
            news.drainPermits();
            commitThere(IndexEntry.inCommitOrder(""));
            assertThat(news.tryAcquire(1, TimeUnit.MINUTES)).isTrue();
        }
    }

    @Test
    void commitOfAnotherServer_notifies_andAgainAfterTheConnectionWasLost() throws Exception {
        here.watch(news::release);
        for (int i = 0; i < 3; i++) {
            assertTold();
            news.drainPermits();
            assertThat(Postgres.ask(database, "select count(pg_terminate_backend(pid)) " + LISTENERS))
                    .isEqualTo("1");
        }
        assertTold();
    }

    @Test
    void commitWithoutASequenceNumber_isNotNotified() throws Exception {
        here.watch(news::release);
        assertTold();
        news.drainPermits();
        commitThere();
        commitThere(IndexEntry.inCommitOrder(""));
        assertThat(news.tryAcquire(1, TimeUnit.MINUTES)).isTrue();
        assertThat(news.availablePermits()).isZero();
    }

    @Test
    void connectionIsHeldAsLongAsSomebodyWatches() throws Exception {
        PostgresStore pooled = PostgresStore.open(pool, PostgresSettings.DEFAULTS.withoutMigration());
        assertThat(pool.lent()).isZero();
        Runnable end = pooled.watch(news::release);
        Runnable endOfOther = pooled.watch(news::release);
        assertTold();
        end.run();
        assertThat(pool.lent()).isEqualTo(1);
        endOfOther.run();
        pool.assertNoneLent();
        assertThat(Postgres.ask(database, "select count(*) " + LISTENERS)).isEqualTo("0");
        pooled.watch(news::release);
        pooled.close();
        pool.assertNoneLent();
    }
}
