package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.key.KeyRange;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.StoreException;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.Commit.IndexEntry;
import dev.semel.store.spi.DocumentStore.Scan;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Documents in a transaction of the application. */
class CallerDocumentsTest {

    private static final DocumentId ID = new DocumentId("notes", "", "n1");
    private static final Scan BY_DATE = new Scan("notes", "", "by-date", KeyRange.ofPrefix("d-"), "", 10);
    private static final Scan BY_KEY = new Scan("notes", "", "", KeyRange.ofPrefix(""), "", 10);

    private final DataSource source = Postgres.NEWEST.usedDatabase();
    private final PostgresStore store = PostgresStore.open(source, PostgresSettings.DEFAULTS.withoutMigration());
    private final Connection connection;

    CallerDocumentsTest() throws SQLException {
        connection = source.getConnection();
        connection.setAutoCommit(false);
    }

    @AfterEach
    void giveBack() throws SQLException {
        connection.rollback();
        connection.close();
        store.close();
        Postgres.NEWEST.giveBack(source);
    }

    private static DocumentWrite.Put put(DocumentId id, IndexEntry... entries) {
        return new DocumentWrite.Put(Stored.document(id, "", null), List.of(entries));
    }

    private static DocumentWrite.Put note() {
        return put(ID, new IndexEntry("by-date", "d-1"), new IndexEntry("by-name", "n-1"));
    }

    private String ask(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return String.valueOf(rows.getString(1));
        }
    }

    @Test
    void createdDocument_existsAfterTheCommit_withItsIndexEntries() throws Exception {
        assertThat(store.create(connection, "c1", note())).isTrue();
        assertThat(store.read(ID)).isEmpty();
        assertThat(store.scan(BY_DATE)).isEmpty();
        connection.commit();
        Document expected = note().document().withCommitId("c1");
        assertThat(store.read(ID)).contains(expected);
        assertThat(store.scan(BY_DATE)).containsExactly(expected);
        assertThat(store.scan(new Scan("notes", "", "by-name", KeyRange.ofPrefix("n-"), "", 10)))
                .containsExactly(expected);
    }

    @Test
    void createdDocument_doesNotExistAfterARollback() throws Exception {
        store.create(connection, "c1", note());
        connection.rollback();
        assertThat(store.read(ID)).isEmpty();
        assertThat(store.scan(BY_DATE)).isEmpty();
        assertThat(store.create(connection, "c2", note())).isTrue();
    }

    @Test
    void createOfAnExistingDocument_returnsFalse_andChangesNothing() throws Exception {
        store.commit(Stored.write("c0", ID, null, new IndexEntry("by-date", "d-0")));
        assertThat(store.create(connection, "c1", note())).isFalse();
        connection.commit();
        assertThat(store.read(ID).orElseThrow().commitId()).isEqualTo("c0");
        assertThat(store.scan(new Scan("notes", "", "by-name", KeyRange.ofPrefix("n-"), "", 10)))
                .isEmpty();
    }

    @Test
    void createdDocument_canBeReplacedByACommitThatHasReadIt() throws Exception {
        store.create(connection, "c1", note());
        connection.commit();
        assertThat(store.commit(Stored.write("c2", ID, null)).getClass().getSimpleName())
                .isEqualTo("Applied");
    }

    @Test
    void scan_seesWhatTheTransactionHasCreated() {
        store.create(connection, "c1", note());
        assertThat(store.scan(connection, BY_DATE)).extracting(Document::key).containsExactly("n1");
        assertThat(store.scan(connection, BY_KEY))
                .extracting(Document::commitId)
                .containsExactly("c1");
        assertThat(store.scan(connection, new Scan("notes", "", "", KeyRange.ofPrefix(""), "n1", 10, true)))
                .isEmpty();
    }

    @Test
    void roleAndSettingsOfTheConnection_areKept() throws Exception {
        try (Statement statement = connection.createStatement()) {
            statement.execute("create role caller; grant caller to current_user; set local role caller;"
                    + " select set_config('semel.user', 'ann', true)");
        }
        store.create(connection, "c1", note());
        store.scan(connection, BY_KEY);
        assertThat(ask("select current_setting('role')")).isEqualTo("caller");
        assertThat(ask("select current_setting('semel.user')")).isEqualTo("ann");
        assertThat(ask("select current_setting('enable_seqscan')")).isEqualTo("on");
        connection.rollback();
    }

    @Test
    void failureAfterASavepoint_leavesRoleAndTransactionUsable() throws Exception {
        var before = connection.setSavepoint();
        DocumentWrite.Put tooLate = new DocumentWrite.Put(
                new Document(
                        ID,
                        -1,
                        note().document().createdAt(),
                        note().document().updatedAt(),
                        null,
                        note().document().data(),
                        "",
                        0),
                List.of());
        try (Statement statement = connection.createStatement()) {
            statement.execute("alter table semel.documents add constraint positive check (version > 0)");
        }
        assertThatThrownBy(() -> store.create(connection, "c1", tooLate)).isInstanceOf(StoreException.class);
        connection.rollback(before);
        assertThat(ask("select current_setting('role')")).isEqualTo("none");
        assertThat(store.create(connection, "c1", note())).isTrue();
    }

    @Test
    void searchPathOfTheConnection_hasNoEffect() throws Exception {
        try (Statement statement = connection.createStatement()) {
            statement.execute("create temporary table documents (x int); create temporary table index_entries (x int);"
                    + " set local search_path to pg_temp");
        }
        assertThat(store.create(connection, "c1", note())).isTrue();
        assertThat(store.scan(connection, BY_DATE)).hasSize(1);
    }

    @Test
    void commitOfTheTransaction_notifiesWatchers() throws Exception {
        Semaphore news = new Semaphore(0);
        store.watch(news::release);
        assertThat(news.tryAcquire(1, TimeUnit.MINUTES)).as("that it listens").isTrue();
        for (int i = 0; i < 3; i++) {
            news.drainPermits();
            store.create(connection, "c" + i, put(new DocumentId("notes", "", "k" + i)));
            connection.commit();
            assertThat(news.tryAcquire(1, TimeUnit.MINUTES)).isTrue();
        }
    }

    @Test
    void connectionInAutoCommitMode_isRejected() throws Exception {
        connection.setAutoCommit(true);
        assertThatThrownBy(() -> store.create(connection, "c1", note()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("auto-commit");
        assertThatThrownBy(() -> store.scan(connection, BY_KEY)).isInstanceOf(IllegalArgumentException.class);
        assertThat(store.read(ID)).isEmpty();
        connection.setAutoCommit(false);
    }

    @Test
    void documentWithAnOwnerOrASequenceNumber_isRejected() {
        assertThatThrownBy(() -> store.create(connection, "c1", put(new DocumentId("notes", "ann", "n1"))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> store.create(connection, "c1", put(ID, IndexEntry.inCommitOrder(""))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void storeInADatabase_isNotExclusive() {
        assertThat(store.isExclusive()).isFalse();
    }
}
