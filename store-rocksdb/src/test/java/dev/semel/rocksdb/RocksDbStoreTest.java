package dev.semel.rocksdb;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.document.DocumentCollection;
import dev.semel.document.Transactions;
import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.key.KeyRange;
import dev.semel.key.KeyTemplate;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.Once.UnknownOutcomeException;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.once.Outcome;
import dev.semel.store.Document;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.admin.StoreAdmin.Cleanup;
import dev.semel.store.admin.StoreAdmin.KeyPage;
import dev.semel.store.admin.StoreAdmin.KeyQuery;
import dev.semel.store.admin.Sweeper;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.KeyStatus;
import dev.semel.testkit.ControlledTime;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksIterator;

/** Behavior of the RocksDB store beyond the contract of all stores: durability, locking, administration and backup. */
@Tag("jdk")
class RocksDbStoreTest {

    private static final DocumentCollection NOTES = DocumentCollection.of(
            "notes", KeyTemplate.of("{folder:hex}-{id:word}"), KeyTemplate.of("{id:word}-{folder:hex}"));

    private static final DocumentCollection REMARKS =
            DocumentCollection.of("remarks", KeyTemplate.of("{id}")).inCommitOrder();

    @TempDir
    private Path temp;

    private final ControlledTime time = new ControlledTime();

    private Path folder() {
        return temp.resolve("data");
    }

    private RocksDbStore open() {
        return RocksDbStore.open(folder(), RocksDbSettings.DEFAULTS, time);
    }

    private Once once(RocksDbStore store) {
        return new Once(store, time, OnceSettings.DEFAULTS, OnceListener.NONE);
    }

    private static Call call(String key) {
        return Call.of(new IdempotencyKey("ann", "POST /", key), Fingerprint.ofJson("1"));
    }

    private Outcome note(RocksDbStore store, String key) {
        return once(store).atomic(call(key), tx -> {
            NOTES.create(tx, "0a-" + key, Json.of("1"));
            return Response.of(key);
        });
    }

    @Test
    void acknowledgedWrites_areThereWhenItIsOpenedAgain() {
        try (RocksDbStore store = open()) {
            note(store, "k");
        }
        try (RocksDbStore store = open()) {
            assertThat(note(store, "k")).isInstanceOf(Outcome.Replayed.class);
            assertThat(NOTES.find(store, Map.of("id", "k"), null, 10).items()).hasSize(1);
        }
    }

    @Test
    void outcomeAndCause_areThereWhenItIsOpenedAgain() {
        try (RocksDbStore store = open()) {
            note(store, "done");
            once(store).atomic(call("failed"), tx -> {
                throw new IllegalStateException("broken");
            });
        }
        time.advance(OnceSettings.DEFAULTS.retention());
        try (RocksDbStore store = open()) {
            sweep(store);
        }
        try (RocksDbStore store = open()) {
            IdempotencyRecord tombstone =
                    Objects.requireNonNull(store.find(call("done").key()).record());
            assertThat(tombstone.response()).isNull();
            assertThat(tombstone.outcome()).isEqualTo(200);
            assertThat(Objects.requireNonNull(store.find(call("failed").key()).record())
                            .cause())
                    .isEqualTo("IllegalStateException: broken");
        }
    }

    private void remark(RocksDbStore store, String key) {
        new Transactions(store, time)
                .run(tx -> REMARKS.create(tx, key, Json.of("1"), key.equals("short") ? Duration.ofHours(1) : null));
    }

    private static List<String> inCommitOrder(RocksDbStore store) {
        return REMARKS.oldest(store, Map.of(), null, 10).items().stream()
                .map(Document::key)
                .toList();
    }

    /** Sweeps, and returns the number of deleted rows. */
    private long sweep(RocksDbStore store) {
        return new Sweeper(store.admin(), time)
                .sweep().stream().mapToLong(Cleanup::deleted).sum();
    }

    @Test
    void commitOrder_continuesWhenItIsOpenedAgain_andAfterASweep() {
        try (RocksDbStore store = open()) {
            remark(store, "z");
            remark(store, "short");
        }
        try (RocksDbStore store = open()) {
            remark(store, "a");
            assertThat(inCommitOrder(store)).containsExactly("z", "short", "a");
            time.advance(Duration.ofHours(1));
            sweep(store);
            assertThat(inCommitOrder(store)).containsExactly("z", "a");
            remark(store, "short");
            assertThat(inCommitOrder(store)).containsExactly("z", "a", "short");
        }
    }

    /** The user has more keys than a page examines. */
    @Test
    void pagesOfKeys_endAfterSomeThousandRows_andAllIsFound() throws Exception {
        try (RocksDbStore store = open()) {
            Once once = new Once(store, time, OnceSettings.DEFAULTS.withQuota(Quota.NONE), OnceListener.NONE);
            ExecutorService threads = Executors.newFixedThreadPool(64);
            try {
                threads.invokeAll(IntStream.range(0, 10_002)
                        .mapToObj(i -> (Callable<Outcome>) () -> once.atomic(call("k" + i), tx -> {
                            throw new IllegalStateException("failed");
                        }))
                        .toList());
            } finally {
                threads.shutdownNow();
            }
            assertThat(once.leased(call("last"), IfAbandoned.FREEZE, lease -> {
                        throw new UnknownOutcomeException("no response", null);
                    }))
                    .isInstanceOf(Outcome.Unknown.class);

            KeyQuery query = KeyQuery.all(10).createdBefore(Instant.EPOCH);
            KeyPage first = store.admin().list(query);
            KeyPage second = store.admin().list(query.after(first.next().orElseThrow()));
            assertThat(first.records().size() + second.records().size()).isZero();
            assertThat(second.next()).isEmpty();

            for (KeyQuery atOnce : List.of(
                    KeyQuery.all(10).beginningWith("k9999"),
                    KeyQuery.all(10).beginningWith("k9999").in(KeyStatus.FAILED),
                    KeyQuery.all(10).ofUser("ann").beginningWith("k9999"))) {
                assertThat(store.admin().list(atOnce))
                        .extracting(page -> page.records().size(), KeyPage::next)
                        .containsExactly(1, Optional.empty());
            }
            assertThat(store.admin().list(KeyQuery.all(10).ofEndpoint("POST /none")))
                    .extracting(KeyPage::records, KeyPage::next)
                    .containsExactly(List.<IdempotencyRecord>of(), Optional.empty());

            KeyPage unknown = store.admin().list(KeyQuery.all(10).in(KeyStatus.UNKNOWN));
            assertThat(unknown.records()).hasSize(1);
            assertThat(unknown.next()).isEmpty();
        }
    }

    @Test
    void fencingTokensOfAKey_riseWhenItIsOpenedAgain() {
        List<Long> fencingTokens = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            try (RocksDbStore store = open()) {
                for (int j = 0; j < 3; j++) {
                    once(store).leased(call("k"), IfAbandoned.RERUN, lease -> {
                        fencingTokens.add(lease.fencingToken());
                        throw new IllegalStateException("failed");
                    });
                }
            }
        }
        assertThat(fencingTokens).hasSize(9).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void keyThatWasStartedTwice_countsTwiceWhenItIsOpenedAgain() throws IOException {
        OnceSettings brief = OnceSettings.DEFAULTS
                .withRetention(Duration.ofMinutes(10))
                .withQuota(new Quota(3, Duration.ofHours(1)));
        Outcome limited = new Outcome.Limited(Duration.ofMinutes(30));
        for (int i = 0; i < 3; i++) {
            try (RocksDbStore store = open()) {
                assertThat(new Once(store, time, brief, OnceListener.NONE).atomic(call("k"), tx -> Response.of("done")))
                        .isInstanceOf(Outcome.Executed.class);
            }
            time.advance(Duration.ofMinutes(10));
        }
        try (RocksDbStore store = open()) {
            assertThat(new Once(store, time, brief, OnceListener.NONE).atomic(call("k"), tx -> Response.of("no")))
                    .isEqualTo(limited);
            time.advance(Duration.ofMinutes(10));
            sweep(store);
        }
        try (RocksDbStore store = open()) {
            assertThat(new Once(store, time, brief, OnceListener.NONE).atomic(call("k"), tx -> Response.of("no")))
                    .isEqualTo(new Outcome.Limited(Duration.ofMinutes(20)));
            assertThat(holds("start\0ann")).isNotEmpty();
            store.admin().erase("ann", false);
        }
        open().close(); // RocksDB may keep the key bounds of deleted tables until it is opened again
        assertThat(holds("start\0ann")).isEmpty();
    }

    @Test
    void previousStartsOfAKey_areSweptWhenTheyDoNotCountAnyMore() {
        OnceSettings brief = OnceSettings.DEFAULTS.withRetention(Duration.ofMinutes(10));
        for (int i = 0; i < 2; i++) {
            try (RocksDbStore store = open()) {
                new Once(store, time, brief, OnceListener.NONE).atomic(call("k"), tx -> Response.of("done"));
            }
            time.advance(Duration.ofMinutes(10));
        }
        assertThat(starts()).isEqualTo(1);
        time.advance(Duration.ofMinutes(40).minusNanos(1000));
        for (int left : List.of(1, 0)) {
            try (RocksDbStore store = open()) {
                sweep(store);
            }
            assertThat(starts()).isEqualTo(left);
            time.advance(Duration.ofNanos(1000));
        }
    }

    /** Returns the number of stored starts that quotas count. */
    private int starts() {
        int starts = 0;
        try (Database db = Database.openReadOnly(StoreDirectory.database(folder()), RocksDbSettings.DEFAULTS);
                ReadOptions options = Database.reading();
                RocksIterator rows = db.iterator(db.meta, options)) {
            for (rows.seek(MetaRows.startPrefix("ann")); rows.isValid(); rows.next()) {
                starts++;
            }
        }
        return starts;
    }

    @Test
    void quota_isKnownWhenItIsOpenedAgain() {
        OnceSettings settings = OnceSettings.DEFAULTS.withQuota(new Quota(3, Duration.ofHours(1)));
        for (int i = 0; i < 4; i++) {
            try (RocksDbStore store = open()) {
                Outcome outcome = new Once(store, time, settings, OnceListener.NONE)
                        .atomic(call("k" + i), tx -> Response.of("done"));
                assertThat(outcome).isInstanceOf(i < 3 ? Outcome.Executed.class : Outcome.Limited.class);
            }
        }
    }

    @Test
    void directoryThatIsOpen_isRejected_withItsOwner() {
        try (RocksDbStore store = open()) {
            assertThatThrownBy(this::open)
                    .isInstanceOf(StoreException.class)
                    .hasMessageStartingWith("The folder " + folder() + " is in use by process "
                            + ProcessHandle.current().pid() + " since ");
            assertThat(note(store, "k")).isInstanceOf(Outcome.Executed.class);
        }
        open().close();
    }

    @Test
    void directoryThatIsDeletedWhileOpen_failsCommits_andCanBeOpenedAnew() throws IOException {
        String message = "The folder " + folder()
                + " was moved or deleted while the store was open. Put it back, and open the store again";
        try (RocksDbStore store = open()) {
            note(store, "before");
            deleteAll(folder());
            assertThatThrownBy(() -> note(store, "after"))
                    .isInstanceOf(StoreException.class)
                    .hasMessage(message);
            assertThatThrownBy(() -> store.find(call("before").key())).hasMessage(message);
            assertThatThrownBy(this::open).hasMessageContaining(" is in use by process ");
            assertThatThrownBy(() -> note(store, "again")).hasMessage(message);
        }
        try (RocksDbStore anew = open()) {
            assertThat(note(anew, "after")).isInstanceOf(Outcome.Executed.class);
        }
    }

    @Test
    void databaseThatIsDeletedWhileOpen_failsCommits() throws IOException {
        try (RocksDbStore store = open()) {
            note(store, "before");
            deleteAll(folder().resolve("db"));
            assertThatThrownBy(() -> note(store, "after")).hasMessageContaining("was moved or deleted");
        }
    }

    @Test
    void directoryThatIsMovedWhileOpen_failsCommits_andStaysLocked() throws IOException {
        Path moved = folder().resolveSibling("moved");
        try (RocksDbStore store = open()) {
            note(store, "before");
            Files.move(folder(), moved);
            assertThatThrownBy(() -> note(store, "after")).hasMessageContaining("was moved or deleted");
            assertThatThrownBy(() -> RocksDbStore.open(moved, RocksDbSettings.DEFAULTS, time))
                    .isInstanceOf(StoreException.class)
                    .hasMessageStartingWith("The folder " + moved + " is in use by process "
                            + ProcessHandle.current().pid() + " since ");
        }
        try (RocksDbStore store = RocksDbStore.open(moved, RocksDbSettings.DEFAULTS, time)) {
            assertThat(note(store, "before")).isInstanceOf(Outcome.Replayed.class);
        }
    }

    private static void deleteAll(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    @Test
    void directoryOfAnotherFormat_isRejected_andLeftAsItIs() throws IOException {
        open().close();
        Files.writeString(folder().resolve("FORMAT"), "semel rocksdb 4\n");
        assertThatThrownBy(this::open)
                .hasMessage("The folder " + folder()
                        + " has the format \"semel rocksdb 4\"; this release reads and writes \"semel rocksdb 5\"");
        Files.writeString(folder().resolve("FORMAT"), "semel rocksdb 5\n");
        open().close();
    }

    @Test
    void directoryThatHoldsSomethingElse_isRejected() throws IOException {
        Files.createDirectories(folder());
        Files.writeString(folder().resolve("letter.txt"), "dear");
        assertThatThrownBy(this::open).hasMessageContaining("contains other files and no store");
        assertThat(folder().resolve("letter.txt")).hasContent("dear");
    }

    @Test
    void fileInsteadOfADirectory_isRejected() throws IOException {
        Files.writeString(folder(), "file");
        assertThatThrownBy(this::open)
                .hasMessage("Cannot use the folder " + folder() + ": this exists and is not a folder: " + folder());
    }

    @Test
    void closedStore_throws() {
        RocksDbStore store = open();
        store.close();
        assertThatThrownBy(() -> note(store, "k")).hasMessage("The store is closed");
        store.close();
    }

    @Test
    void sweep_deletesWhatHasExpired_andNothingElse() {
        try (RocksDbStore store = open()) {
            Transactions transactions = new Transactions(store, time);
            for (int i = 0; i < 250; i++) {
                String key = "0a-old" + i;
                transactions.run(tx -> NOTES.create(tx, key, Json.of("1"), Duration.ofHours(1)));
                note(store, "old" + i + "key");
            }
            once(store).leased(call("frozen"), IfAbandoned.FREEZE, lease -> {
                throw new StackOverflowError();
            });
            time.advance(OnceSettings.DEFAULTS.retention());
            note(store, "new");
            // 250 records, 250 documents, and the commit log entries of the commits without a record
            assertThat(sweep(store)).isEqualTo(250 + 250 + 250);
            assertThat(sweep(store)).isZero();
            assertThat(note(store, "new")).isInstanceOf(Outcome.Replayed.class);
            assertThat(once(store).leased(call("frozen"), IfAbandoned.FREEZE, lease -> Response.of("must not run")))
                    .isInstanceOf(Outcome.Unknown.class);
            assertThat(NOTES.scan(store, KeyRange.ofPrefix(""), null, 1000).items())
                    .hasSize(251);
            assertThat(NOTES.find(store, Map.of("id", "new"), null, 10).items()).hasSize(1);
        }
    }

    @Test
    void damagedRow_stays_andOthersAreSwept() {
        try (RocksDbStore store = open()) {
            note(store, "damaged");
            note(store, "whole");
        }
        try (Database db = Database.open(folder().resolve("db"), RocksDbSettings.DEFAULTS, false)) {
            byte[] row = RecordRows.key(call("damaged").key());
            byte[] value = Objects.requireNonNull(db.get(db.records, row));
            byte[] damaged = Arrays.copyOf(value, value.length - 3);
            db.write(Batch.together(List.of(new Batch().put(db.records.id(), row, damaged))));
        }
        time.advance(OnceSettings.DEFAULTS.retention());
        try (RocksDbStore store = open()) {
            assertThat(sweep(store)).isOne();
            assertThat(sweep(store)).isZero();
        }
    }

    @Test
    void copy_ofAStoreInUse_hasAllAcknowledgedWrites() {
        Path copy = temp.resolve("copies/of/monday");
        try (RocksDbStore store = open()) {
            for (int i = 0; i < 100; i++) {
                note(store, "k" + i);
            }
            RocksDbCopy.Copied copied = RocksDbCopy.copy(folder(), copy, rows -> {});
            // records, their client transaction ids, documents, and index entries
            assertThat(copied.rows()).isEqualTo(400);
            note(store, "later");
        }
        try (RocksDbStore store = RocksDbStore.open(copy, RocksDbSettings.DEFAULTS, time)) {
            for (int i = 0; i < 100; i++) {
                assertThat(note(store, "k" + i)).isInstanceOf(Outcome.Replayed.class);
            }
            assertThat(NOTES.scan(store, KeyRange.ofPrefix(""), null, 1000).items())
                    .hasSize(100)
                    .extracting(Document::version)
                    .containsOnly(1L);
        }
    }

    @Test
    void copy_toAnExistingDirectory_orFromNoStore_isRejected() throws IOException {
        open().close();
        Path there = Files.createDirectory(temp.resolve("there"));
        assertThatThrownBy(() -> RocksDbCopy.copy(folder(), there, rows -> {}))
                .hasMessage("The target " + there + " exists: choose a path that does not exist");
        assertThatThrownBy(() -> RocksDbCopy.copy(there, temp.resolve("copy"), rows -> {}))
                .hasMessage("There is no store in " + there);
        assertThat(temp.resolve("copy")).doesNotExist();
        for (String inside : List.of("copy", "new/copy")) {
            assertThatThrownBy(() -> RocksDbCopy.copy(folder(), folder().resolve(inside), rows -> {}))
                    .hasMessageContaining(" is inside the store ");
        }
        assertThat(folder().resolve("new")).doesNotExist();
        assertNoDraftIsLeft();
    }

    private void assertNoDraftIsLeft() throws IOException {
        try (Stream<Path> files = Files.list(temp)) {
            assertThat(files.filter(file -> file.toString().contains("copy"))).isEmpty();
        }
    }

    @Test
    void copy_leavesOtherFilesAlone() throws IOException {
        open().close();
        Path mine = Files.createDirectory(temp.resolve("copy.incomplete"));
        Files.writeString(mine.resolve("letter.txt"), "dear");
        RocksDbCopy.copy(folder(), temp.resolve("copy"), rows -> {});
        assertThat(mine.resolve("letter.txt")).hasContent("dear");
    }

    @Test
    void copy_ofAStoreThatCannotBeOpened_isRejected_andLeavesNothing() throws IOException {
        open().close();
        Files.delete(folder().resolve("db").resolve("CURRENT"));
        assertThatThrownBy(() -> RocksDbCopy.copy(folder(), temp.resolve("copy"), rows -> {}))
                .isInstanceOf(StoreException.class);
        assertNoDraftIsLeft();
    }

    /** RocksDB would create a new database, and delete the remaining files of the old one. */
    @Test
    void storeWithMissingFiles_isRejectedEachTime_andLeftAsItIs() throws IOException {
        try (RocksDbStore store = open()) {
            note(store, "k");
        }
        Path current = folder().resolve("db").resolve("CURRENT");
        byte[] lost = Files.readAllBytes(current);
        Files.delete(current);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(this::open).isInstanceOf(StoreException.class);
        }
        Files.write(current, lost);
        try (RocksDbStore store = open()) {
            assertThat(note(store, "k")).isInstanceOf(Outcome.Replayed.class);
        }
    }

    @Test
    void storeWithoutFiles_isRejected() throws IOException {
        open().close();
        Files.move(folder().resolve("db"), temp.resolve("elsewhere"));
        assertThatThrownBy(this::open).hasMessageContaining("its files are missing");
        Files.move(temp.resolve("elsewhere"), folder().resolve("db"));
        open().close();
    }

    @Test
    void storeWhoseCreationWasCutOff_isCreated() throws IOException {
        Files.createDirectories(folder().resolve("db"));
        Files.writeString(folder().resolve("FORMAT.new"), "semel rock");
        Files.writeString(folder().resolve("db").resolve("MANIFEST-000001"), "");
        try (RocksDbStore store = open()) {
            assertThat(note(store, "k")).isInstanceOf(Outcome.Executed.class);
        }
    }

    @Test
    void formatThatIsNoText_isEscaped() throws IOException {
        open().close();
        Files.write(folder().resolve("FORMAT"), new byte[] {'s', (byte) 0xFF, 7, 'x', '\n', 'y'});
        assertThatThrownBy(this::open).hasMessageContaining("has the format \"s??x\"");
    }

    /** Freed native memory must not be accessed: that would crash the JVM. */
    @Test
    void closingWhileInUse_isReportedToCallers() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            for (int round = 0; round < 20; round++) {
                RocksDbStore store = open();
                AtomicInteger started = new AtomicInteger();
                List<Future<?>> users = new ArrayList<>();
                for (int i = 0; i < 6; i++) {
                    String name = "r" + round + "t" + i + "n";
                    Runnable use = i == 0
                            ? () -> store.admin().sweep("")
                            : () -> note(store, name + started.incrementAndGet());
                    users.add(threads.submit(() -> useUntilClosed(use)));
                }
                while (started.get() < 50) {
                    Thread.onSpinWait();
                }
                Future<?> other = threads.submit(store::close);
                store.close();
                open().close(); // closing releases the directory
                other.get();
                for (Future<?> user : users) {
                    user.get();
                }
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static void useUntilClosed(Runnable use) {
        try {
            while (true) {
                use.run();
            }
        } catch (StoreException e) {
            assertThat(e).hasMessage("The store is closed");
        }
    }

    @Test
    void erasedUser_leavesNoByte() throws IOException {
        String secret = "ann paid the dentist";
        try (RocksDbStore store = open()) {
            once(store).leased(call("k"), IfAbandoned.RERUN, lease -> Response.of(secret));
            note(store, "other");
            new Transactions(store, time)
                    .run(tx -> NOTES.ownedBy("ann").create(tx, "0a-private", Json.of("\"" + secret + "\"")));
            assertThat(holds(secret)).isNotEmpty();
            store.admin().erase("ann", true);
            assertThat(holds(secret)).isEmpty();
        }
        assertThat(holds(secret)).isEmpty();
        open().close(); // RocksDB may keep the key bounds of deleted tables until it is opened again
        assertThat(holds("0a-private")).isEmpty();
    }

    @Test
    void deletedDocumentsOfAUser_areErasedToo() throws IOException {
        String secret = "ann moved to Lisbon";
        try (RocksDbStore store = open()) {
            Transactions transactions = new Transactions(store, time);
            DocumentCollection own = NOTES.ownedBy("ann");
            transactions.run(tx -> own.create(tx, "0a-kept", Json.of("1")));
            transactions.run(tx -> own.create(tx, "0a-gone", Json.of("\"" + secret + "\"")));
            store.admin().erase("bob", true); // flushes the log to tables
            transactions.run(tx -> own.delete(tx, "0a-gone"));
            assertThat(holds(secret)).isNotEmpty();
            store.admin().erase("ann", true);
            assertThat(holds(secret)).isEmpty();
        }
    }

    @Test
    void deletedDocumentsOfAUser_areErased_fromEmptyCollectionsToo() throws IOException {
        List<String> deleted = List.of("a", "c", "d", "f");
        try (RocksDbStore store = open()) {
            Transactions transactions = new Transactions(store, time);
            for (String collection : List.of("a", "b", "c", "d", "e", "f")) {
                DocumentCollection own = DocumentCollection.of(
                                collection,
                                KeyTemplate.of("{folder:hex}-{id:word}"),
                                KeyTemplate.of("{id:word}-{folder:hex}"))
                        .ownedBy("ann");
                transactions.run(tx -> own.create(tx, "0a-secret", Json.of("\"secret\"")));
                store.admin().erase("bob", true); // flushes the log to tables
                if (deleted.contains(collection)) {
                    transactions.run(tx -> own.delete(tx, "0a-secret"));
                }
            }
            assertThat(holds("secret")).isNotEmpty();
            store.admin().erase("ann", true);
        }
        open().close(); // RocksDB may keep the key bounds of deleted tables until it is opened again
        assertThat(holds("secret")).isEmpty();
    }

    @Test
    void userOfManyCollections_isErasedFromAllOfThem() throws IOException {
        try (RocksDbStore store = open()) {
            Transactions transactions = new Transactions(store, time);
            for (int i = 0; i < 40; i++) {
                DocumentCollection all = DocumentCollection.of("c" + i, KeyTemplate.of("{id:word}"));
                boolean goes = i % 2 == 0;
                transactions.run(tx -> all.ownedBy("ann").create(tx, "id", Json.of("\"secret\"")));
                transactions.run(tx -> all.ownedBy("bob").create(tx, "id", Json.of("\"bob's\"")));
                transactions.run(tx -> goes && all.ownedBy("ann").delete(tx, "id") != null);
            }
            assertThat(store.admin().erase("ann", true)).containsEntry(StoreAdmin.DOCUMENTS, 20L);
            assertThat(holds("secret")).isEmpty();
            DocumentCollection last = DocumentCollection.of("c39", KeyTemplate.of("{id:word}"));
            assertThat(last.ownedBy("bob").read(store, "id")).isPresent();
            assertThat(last.ownedBy("ann").read(store, "id")).isEmpty();
        }
    }

    /** Returns the files that contain a text. The open store may delete files meanwhile. */
    private List<Path> holds(String text) throws IOException {
        List<Path> holding = new ArrayList<>();
        Files.walkFileTree(folder(), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                try {
                    if (Files.readString(file, ISO_8859_1).contains(text)) {
                        holding.add(file);
                    }
                    return FileVisitResult.CONTINUE;
                } catch (NoSuchFileException e) {
                    return visitFileFailed(file, e);
                }
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                return e instanceof NoSuchFileException ? FileVisitResult.CONTINUE : super.visitFileFailed(file, e);
            }
        });
        return holding;
    }
}
