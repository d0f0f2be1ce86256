package dev.semel.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.json.Fingerprint;
import dev.semel.key.KeyRange;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.once.Outcome;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.IndexEntry;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.DocumentStore.Scan;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Several stores on one database, like those of several servers. */
@Tag("jdk")
class SeveralServersTest {

    private final DataSource database = Postgres.NEWEST.usedDatabase();
    private final List<Pool> pools = new ArrayList<>();
    private final List<PostgresStore> servers = List.of(open(), open());
    private final ExecutorService threads = Executors.newFixedThreadPool(64);

    private PostgresStore open() {
        Pool pool = new Pool(database);
        pools.add(pool);
        return PostgresStore.open(pool, PostgresSettings.DEFAULTS.withoutMigration());
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        servers.forEach(PostgresStore::close);
        pools.forEach(Pool::close);
        Postgres.NEWEST.giveBack(database);
    }

    private void all(int count, IntFunction<Callable<?>> task) throws Exception {
        List<Future<?>> tasks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            tasks.add(threads.submit(task.apply(i)));
        }
        for (Future<?> running : tasks) {
            running.get();
        }
    }

    @Test
    void duplicatesThatAreSentToBoth_haveOneEffect() throws Exception {
        Map<String, AtomicInteger> leased = new ConcurrentHashMap<>();
        all(16, thread -> () -> {
            Once once = new Once(servers.get(thread % 2), Time.system(), OnceSettings.DEFAULTS, OnceListener.NONE);
            for (int key = 0; key < 40; key++) {
                String name = "k" + key;
                once.atomic(Call.of(Stored.key("ann", "atomic-" + name), Fingerprint.ofJson("1")), tx -> {
                    DocumentId id = new DocumentId("effects", "", name + "-" + thread);
                    tx.expectAbsent(id);
                    tx.put(Stored.document(id, "", null), List.of());
                    return Response.of(name);
                });
                once.leased(
                        Call.of(Stored.key("ann", "leased-" + name), Fingerprint.ofJson("1")),
                        IfAbandoned.FREEZE,
                        lease -> {
                            leased.computeIfAbsent(name, any -> new AtomicInteger())
                                    .incrementAndGet();
                            return Response.of(name);
                        });
            }
            return null;
        });
        assertThat(leased).hasSize(40);
        assertThat(leased.values()).allMatch(runs -> runs.get() == 1);
        assertThat(Postgres.ask(database, "select count(*) from documents where collection = 'effects'"))
                .isEqualTo("40");
        assertThat(Postgres.ask(
                        database,
                        "select count(distinct split_part(key, '-', 1)) from documents where collection = 'effects'"))
                .isEqualTo("40");
    }

    @Test
    void quota_holdsForBothTogether() throws Exception {
        AtomicInteger begun = new AtomicInteger();
        Quota quota = new Quota(50, Duration.ofHours(1));
        all(16, thread -> () -> {
            for (int i = 0; i < 10; i++) {
                String name = thread + "-" + i;
                CommitResult result = servers.get(thread % 2)
                        .commit(Commit.of(name, Stored.completed(Stored.key("ann", name), name, quota)));
                begun.addAndGet(result instanceof CommitResult.Applied ? 1 : 0);
            }
            return null;
        });
        assertThat(begun).hasValue(50);
    }

    /** Both servers start the last keys of a quota at the same time. */
    @Test
    void manyCallersOnBoth_beginAsManyKeysAsTheirUserMay() throws Exception {
        int callers = 64;
        OnceSettings settings = OnceSettings.DEFAULTS.withQuota(new Quota(20, Duration.ofHours(1)));
        List<Once> engines = servers.stream()
                .map(server -> new Once(server, Time.system(), settings, OnceListener.NONE))
                .toList();
        List<String> users = List.of("ann", "bob", "cid", "dan", "eve", "fay", "gus", "hal");
        Map<String, AtomicInteger> executed = new ConcurrentHashMap<>();
        CyclicBarrier together = new CyclicBarrier(callers);
        all(callers, caller -> () -> {
            Once once = engines.get(caller % 2);
            for (String user : users) {
                Call call = Call.of(Stored.key(user, "k" + caller), Fingerprint.ofJson("1"));
                together.await(1, TimeUnit.MINUTES);
                Outcome outcome = users.indexOf(user) % 2 == 0
                        ? once.atomic(call, tx -> Response.of("done"))
                        : once.leased(call, IfAbandoned.RERUN, lease -> Response.of("done"));
                if (outcome instanceof Outcome.Executed) {
                    executed.computeIfAbsent(user, any -> new AtomicInteger()).incrementAndGet();
                } else {
                    assertThat(outcome).isInstanceOf(Outcome.Limited.class);
                }
            }
            return null;
        });
        for (String user : users) {
            assertThat(executed.get(user)).as(user).hasValue(20);
            assertThat(Postgres.ask(database, "select count(*) from idempotency_keys where user_id = '" + user + "'"))
                    .isEqualTo("20");
        }
    }

    @Test
    void whoeverReadsTheOrder_neverSeesAPlaceBeforeOneBelowIt() throws Exception {
        AtomicBoolean writing = new AtomicBoolean(true);
        Future<?> reading = threads.submit(() -> {
            List<String> before = List.of();
            while (writing.get()) {
                List<String> now = servers
                        .get(0)
                        .scan(new Scan("posts", "", IndexEntry.COMMIT_ORDER, KeyRange.ofPrefix(""), "", 10_000))
                        .stream()
                        .map(Document::key)
                        .toList();
                assertThat(now.subList(0, before.size())).isEqualTo(before);
                before = now;
            }
        });
        all(8, thread -> () -> {
            for (int i = 0; i < 40; i++) {
                String name = thread + "-" + i;
                servers.get(thread % 2)
                        .commit(Stored.write(
                                name, new DocumentId("posts", "", name), null, IndexEntry.inCommitOrder("")));
            }
            return null;
        });
        writing.set(false);
        reading.get();
    }

    @Test
    void rowThatAnotherHolds_holdsUpItsOwnCommitAlone() throws Exception {
        DocumentId held = new DocumentId("things", "", "held");
        DocumentId free = new DocumentId("things", "", "free");
        PostgresStore store = servers.get(0);
        try (Connection other = database.getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("select pg_advisory_xact_lock(" + Stored.LOCKS.of(RowId.of(held)) + ")");
            PendingCommit waits = new PendingCommit(Stored.write("waits", held, null));
            PendingCommit goes = new PendingCommit(Stored.write("goes", free, null));
            store.commits.commitTogether(List.of(waits, goes));
            assertThat(goes.result()).isEqualTo(new CommitResult.Applied(null));
            assertThat(waits.isBusy()).isTrue();
            Future<CommitResult> waiting = threads.submit(() -> store.commit(Stored.write("waits", held, null)));
            assertThat(store.commit(Stored.write("others", new DocumentId("things", "", "others"), null)))
                    .isEqualTo(new CommitResult.Applied(null));
            assertThat(store.read(held)).isEmpty();
            other.rollback();
            assertThat(waiting.get()).isEqualTo(new CommitResult.Applied(null));
        }
    }

    @Test
    void rowThatAnotherOnlyChecks_holdsUpThoseAloneWhoWriteIt() throws Exception {
        DocumentId checked = new DocumentId("things", "", "checked");
        PostgresStore store = servers.get(0);
        store.commit(Stored.write("first", checked, null));
        try (Connection other = database.getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("select pg_advisory_xact_lock_shared(" + Stored.LOCKS.of(RowId.of(checked)) + ")");
            PendingCommit writes = new PendingCommit(Stored.write("writes", checked, null));
            PendingCommit starts = new PendingCommit(checking("starts", checked, "first", true));
            PendingCommit goes = new PendingCommit(checking("goes", checked, "first", false));
            store.commits.commitTogether(List.of(writes, starts, goes));
            assertThat(writes.isBusy()).isTrue();
            assertThat(starts.result()).isInstanceOf(CommitResult.Applied.class);
            assertThat(goes.result()).isEqualTo(new CommitResult.Applied(null));
            PendingCommit alone = new PendingCommit(checking("alone", checked, "first", false));
            store.commits.commitTogether(List.of(alone));
            assertThat(alone.result()).isEqualTo(new CommitResult.Applied(null));
        }
    }

    @Test
    void newKeyThatChecksADocument_isInConflictIfItHasChanged() {
        DocumentId checked = new DocumentId("things", "", "checked");
        PostgresStore store = servers.get(0);
        store.commit(Stored.write("first", checked, null));
        List<PendingCommit> group = List.of(
                new PendingCommit(checking("a", checked, "first", true)),
                new PendingCommit(checking("b", checked, "another", true)),
                new PendingCommit(checking("c", checked, "first", true)));
        assertThat(group).allMatch(PendingCommit::isCreation);
        store.commits.commitTogether(group);
        assertThat(group.get(0).result()).isInstanceOf(CommitResult.Applied.class);
        assertThat(group.get(1).result()).isEqualTo(new CommitResult.DocumentConflict(checked, 1));
        assertThat(group.get(2).result()).isInstanceOf(CommitResult.Applied.class);
        PendingCommit absent = new PendingCommit(checking("d", new DocumentId("things", "", "absent"), "first", true));
        store.commits.commitTogether(List.of(absent));
        assertThat(absent.result()).isInstanceOf(CommitResult.DocumentConflict.class);
    }

    /** A commit that creates a document if another one is unchanged. */
    private static Commit checking(String name, DocumentId checked, String expected, boolean withKey) {
        DocumentId created = new DocumentId("things", "", name);
        return new Commit(
                name,
                withKey ? Stored.completed(Stored.key("ann", name), "tx-" + name, Quota.NONE) : null,
                Map.of(checked, expected, created, ""),
                Stored.write(name, created, null).writes());
    }

    @Test
    void userWhoseKeysAreBeingCounted_holdsUpTheirOwnCommitsAlone() throws Exception {
        Quota quota = new Quota(2, Duration.ofHours(1));
        PostgresStore store = servers.get(0);
        try (Connection other = database.getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("select pg_advisory_xact_lock(" + Stored.LOCKS.of(RowId.ofUser("ann")) + ")");
            PendingCommit waits =
                    new PendingCommit(Commit.of("a", Stored.completed(Stored.key("ann", "a"), "a", quota)));
            PendingCommit goes =
                    new PendingCommit(Commit.of("b", Stored.completed(Stored.key("bob", "b"), "b", quota)));
            store.commits.commitTogether(List.of(waits, goes));
            assertThat(waits.isBusy()).isTrue();
            assertThat(goes.result()).isInstanceOf(CommitResult.Applied.class);
            List<Future<CommitResult>> waiting = new ArrayList<>();
            for (String name : List.of("c", "d", "e")) {
                waiting.add(threads.submit(() ->
                        store.commit(Commit.of(name, Stored.completed(Stored.key("ann", name), name, quota)))));
            }
            awaitOneWaiting();
            assertThat(store.commit(Commit.of("f", Stored.completed(Stored.key("bob", "f"), "f", quota))))
                    .isInstanceOf(CommitResult.Applied.class);
            assertThat(waiting).noneMatch(Future::isDone);
            other.rollback();
            int begun = 0;
            for (Future<CommitResult> each : waiting) {
                begun += each.get() instanceof CommitResult.Applied ? 1 : 0;
            }
            assertThat(begun).as("the quota holds").isEqualTo(2);
        }
    }

    private void awaitOneWaiting() throws SQLException {
        String waiting = "select count(*) from pg_locks where locktype = 'advisory' and not granted"
                + " and database = (select oid from pg_database where datname = current_database())";
        while ("0".equals(Postgres.ask(database, waiting))) {
            Thread.onSpinWait();
        }
    }

    @Test
    void commitsOfAUserThatWaitTooLong_areGivenUp_withOneConnection() throws Exception {
        Quota quota = new Quota(9, Duration.ofHours(1));
        Duration shortly = Duration.ofMillis(50);
        Pool pool = new Pool(database);
        pools.add(pool);
        try (PostgresStore hasty = PostgresStore.open(
                        pool, PostgresSettings.DEFAULTS.withTimeouts(shortly, Duration.ofSeconds(15)));
                Connection other = database.getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("select pg_advisory_xact_lock(" + Stored.LOCKS.of(RowId.ofUser("ann")) + ")");
            all(8, i -> () -> {
                assertThatThrownBy(() -> hasty.commit(
                                Commit.of("a" + i, Stored.completed(Stored.key("ann", "a" + i), "a", quota))))
                        .isInstanceOf(StoreException.class);
                return null;
            });
            assertThat(pool.mostLent())
                    .as("one that waits, and one for the groups")
                    .isLessThanOrEqualTo(2);
        }
    }

    @Test
    void rowThatIsHeldTooLong_isGivenUp_withoutAnyDoubtWhatHappened() throws Exception {
        DocumentId held = new DocumentId("things", "", "held");
        PostgresStore hasty = PostgresStore.open(
                new Pool(database),
                PostgresSettings.DEFAULTS.withTimeouts(Duration.ofMillis(50), Duration.ofSeconds(15)));
        try (Connection other = database.getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("select pg_advisory_xact_lock(" + Stored.LOCKS.of(RowId.of(held)) + ")");
            assertThatThrownBy(() -> hasty.commit(Stored.write("attempt", held, null)))
                    .hasMessageContaining("55P03");
            other.rollback();
        }
        assertThat(hasty.commit(Stored.write("attempt", held, null))).isEqualTo(new CommitResult.Applied(null));
        hasty.close();
    }

    @Test
    void serversWhoseClocksDiffer_agreeOnLeases() {
        Call call = Call.of(Stored.key("ann", "leased"), Fingerprint.ofJson("1"));
        PostgresStore first = servers.get(0);
        IdempotencyWrite claim = new IdempotencyWrite(
                Precondition.ABSENT,
                Stored.record(call.key(), "tx", Status.PROCESSING),
                Duration.ofMinutes(5),
                Duration.ofDays(1),
                Quota.NONE);
        assertThat(first.commit(Commit.of("claim", claim))).isInstanceOf(CommitResult.Applied.class);
        Once late =
                new Once(servers.get(1), new SkewedTime(Duration.ofDays(2)), OnceSettings.DEFAULTS, OnceListener.NONE);
        assertThat(late.leased(call, IfAbandoned.RERUN, lease -> Response.of("stolen")))
                .isInstanceOf(Outcome.InProgress.class);
        Duration apart = Duration.between(
                        first.clock().instant(), servers.get(1).clock().instant())
                .abs();
        assertThat(apart).isLessThan(Duration.ofMinutes(1));
    }

    /** The wrong clock of a server. */
    private record SkewedTime(Duration ahead) implements Time {

        @Override
        public Instant instant() {
            return Time.system().instant().plus(ahead);
        }

        @Override
        public long nanoTime() {
            return Time.system().nanoTime();
        }

        @Override
        public Runnable after(Duration delay, Runnable task) {
            return Time.system().after(delay, task);
        }
    }
}
