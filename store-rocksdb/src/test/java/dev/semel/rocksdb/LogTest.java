package dev.semel.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.document.DocumentCollection;
import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.key.KeyTemplate;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.once.Outcome;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.spi.DocumentStore;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.testkit.TestSize;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Opens stores whose log was cut off, as by a power failure, or damaged. */
class LogTest {

    private static final int COMMITS = 6;
    private static final int SMALL = 10;
    private static final int BLOCK = 1 << 15;
    private static final int EDGE = TestSize.of(20, 40);
    private static final int STRIDE = TestSize.of(31, 7);
    private static final DocumentCollection RECORDS = DocumentCollection.of(
            "records", KeyTemplate.of("{name:word}-{day:word}"), KeyTemplate.of("{day:word}-{name:word}"));

    @TempDir
    private Path folder;

    /** The length of the log at the acknowledgement of each commit. */
    private final List<Long> lengths = new ArrayList<>();

    /** Copies a store after the last of some commits was acknowledged. */
    private void commitAndCopy(int bytesOfTheLast) throws IOException {
        Path live = folder.resolve("live");
        try (DocumentStore store = open(live)) {
            Once once = new Once(store, Time.system(), OnceSettings.DEFAULTS, OnceListener.NONE);
            for (int i = 0; i < COMMITS; i++) {
                commit(once, i, i == COMMITS - 1 ? bytesOfTheLast : SMALL);
                lengths.add(Files.size(log(live)));
            }
            copy(live, image());
        }
    }

    private Path image() {
        return folder.resolve("image");
    }

    private static IdempotencyKey key(int number) {
        return new IdempotencyKey("ann", "POST /records", "key-" + number);
    }

    private static String name(int number) {
        return "name" + number + "-day" + number;
    }

    private static void commit(Once once, int number, int bytes) {
        Outcome outcome = once.atomic(Call.of(key(number), Fingerprint.ofJson("1")), tx -> {
            RECORDS.create(tx, name(number), Json.of("\"" + "x".repeat(bytes) + "\""));
            return Response.of(name(number));
        });
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
    }

    private static Path log(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("db"))) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .max(Path::compareTo)
                    .orElseThrow();
        }
    }

    /**
     * Copies a store that may be open. The manifest is copied first. So a table that is written meanwhile is missing from the manifest of
     * the copy, as after a crash.
     */
    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to.resolve("db"));
        copyMissing(from, to, "MANIFEST");
        copyMissing(from, to, "");
    }

    private static void copyMissing(Path from, Path to, String beginning) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Path copy = to.resolve(from.relativize(file).toString());
                if (file.getFileName().toString().startsWith(beginning) && Files.notExists(copy)) {
                    Files.copy(file, copy);
                }
            }
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
    }

    /** Opens the store, and returns what it contains. */
    private void assertWholeOrAbsent(DocumentStore store, long logLength) {
        for (int number = 0; number < COMMITS; number++) {
            IdempotencyRecord record = store.find(key(number)).record();
            boolean isThere = record != null && record.status() == Status.COMPLETED;
            String which = "commit " + number + " in a log of " + logLength + " bytes";
            assertThat(isThere).as(which).isEqualTo(lengths.get(number) <= logLength);
            assertThat(RECORDS.read(store, name(number)).isPresent())
                    .as("document of " + which)
                    .isEqualTo(isThere);
            assertThat(found(store, "name", "name" + number))
                    .as("key of " + which)
                    .isEqualTo(isThere);
            assertThat(found(store, "day", "day" + number))
                    .as("index entry of " + which)
                    .isEqualTo(isThere);
        }
    }

    private static boolean found(DocumentStore store, String part, String value) {
        return !RECORDS.find(store, Map.of(part, value), null, 10).items().isEmpty();
    }

    /** Changes the log of a copy, and passes the copy to a check. */
    private void inACopy(LogChange change, Consumer<Path> action) throws IOException {
        Path copy = folder.resolve("copy");
        copy(image(), copy);
        inLog(log(copy), change);
        action.accept(copy);
        delete(copy);
    }

    @FunctionalInterface
    private interface LogChange {
        void make(FileChannel log) throws IOException;
    }

    private static RocksDbStore open(Path folder) {
        return RocksDbStore.open(folder, RocksDbSettings.DEFAULTS, Time.system());
    }

    private static void flip(FileChannel log, long at) throws IOException {
        ByteBuffer one = ByteBuffer.allocate(1);
        log.read(one, at);
        one.put(0, (byte) (one.get(0) ^ 0x55));
        log.write(one.rewind(), at);
    }

    private void assertSurvivesCuts(LongStream lengths) throws IOException {
        for (long length : lengths.toArray()) {
            inACopy(log -> log.truncate(length), copy -> {
                try (DocumentStore store = open(copy)) {
                    assertWholeOrAbsent(store, length);
                }
            });
        }
    }

    /** Returns all positions around the boundaries of commits, where headers are, and some in between, where only contents are. */
    private LongStream offsetsIn(int commit) {
        long begin = lengths.get(commit - 1);
        long end = lengths.get(commit);
        return LongStream.range(begin, end)
                .filter(offset -> offset - begin < EDGE || end - offset < EDGE || (offset - begin) % STRIDE == 0);
    }

    @Test
    void logCutAnywhere_keepsAcknowledgedCommits_andNoPartialOne() throws Exception {
        commitAndCopy(SMALL);
        assertSurvivesCuts(offsetsIn(COMMITS - 2));
        assertSurvivesCuts(offsetsIn(COMMITS - 1));
        assertSurvivesCuts(LongStream.of(lengths.get(COMMITS - 1)));
    }

    /** A long write is split into fragments, one for each block of the log. */
    @Test
    void logCutBetweenBlocksOfACommit_keepsNoPartialOne() throws Exception {
        commitAndCopy(BLOCK);
        long end = lengths.get(COMMITS - 1);
        assertThat(end).isBetween(BLOCK + 20L, 2L * BLOCK);
        assertSurvivesCuts(LongStream.rangeClosed(BLOCK - 9, BLOCK + 9));
        assertSurvivesCuts(LongStream.rangeClosed(end - 3, end));
    }

    /** The store starts a new log when it is opened, so later commits do not follow the truncated record. */
    @Test
    void logThatWasCut_canBeAppendedTo() throws Exception {
        commitAndCopy(SMALL);
        for (long length : new long[] {lengths.get(2), lengths.get(2) + 1, lengths.get(3) - 1}) {
            inACopy(log -> log.truncate(length), copy -> {
                try (DocumentStore store = open(copy)) {
                    commit(new Once(store, Time.system(), OnceSettings.DEFAULTS, OnceListener.NONE), COMMITS, SMALL);
                }
                try (DocumentStore store = open(copy)) {
                    assertWholeOrAbsent(store, length);
                    assertThat(RECORDS.read(store, name(COMMITS))).isPresent();
                }
            });
        }
    }

    @Test
    void logDamagedInTheMiddle_isRejectedRatherThanShortened() throws Exception {
        commitAndCopy(SMALL);
        for (long at : offsetsIn(2).toArray()) {
            inACopy(
                    log -> flip(log, at),
                    copy -> assertThatThrownBy(() -> open(copy).close())
                            .as("damaged at byte " + (at - lengths.get(1)) + " of a commit")
                            .isInstanceOf(StoreException.class)
                            .hasMessageContaining("Cannot open the store in " + copy));
        }
    }

    /** When a family is flushed, a new log starts. The previous one is kept as long as another family needs it. */
    @Test
    void olderLogThatIsTruncatedDamagedOrMissing_isRejected() throws Exception {
        Path live = folder.resolve("live");
        RocksDbSettings small = RocksDbSettings.DEFAULTS.withMemoryBytes(16 << 20);
        try (DocumentStore store = RocksDbStore.open(live, small, Time.system())) {
            Once once = new Once(store, Time.system(), OnceSettings.DEFAULTS, OnceListener.NONE);
            for (int number = 0; logs(live).size() < 2; number++) {
                commit(once, number, 100_000);
            }
            copy(live, image());
        }
        assertOlderLogRejected(log -> Files.delete(log));
        assertOlderLogRejected(log -> Files.write(log, new byte[(int) Files.size(log)]));
        long size = Files.size(logs(image()).get(0));
        for (long cut : new long[] {0, 1, size / 2, size - 1}) {
            assertOlderLogRejected(log -> inLog(log, channel -> channel.truncate(cut)));
        }
        for (long damaged : new long[] {0, 5, BLOCK - 1, BLOCK, size / 2, size - 1}) {
            assertOlderLogRejected(log -> inLog(log, channel -> flip(channel, damaged)));
        }
        try (DocumentStore store = open(image())) {
            assertThat(store.find(key(0)).record()).isNotNull();
        }
    }

    private void assertOlderLogRejected(FileChange change) throws IOException {
        Path copy = folder.resolve("copy");
        copy(image(), copy);
        change.make(logs(copy).get(0));
        assertThatThrownBy(() -> open(copy)).isInstanceOf(StoreException.class).hasMessageContaining("Cannot open");
        assertThatThrownBy(() -> RocksDbCopy.copy(copy, folder.resolve("backup"), rows -> {}))
                .isInstanceOf(StoreException.class);
        delete(copy);
    }

    @FunctionalInterface
    private interface FileChange {
        void make(Path file) throws IOException;
    }

    private static void inLog(Path log, LogChange change) throws IOException {
        try (FileChannel channel = FileChannel.open(log, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            change.make(channel);
        }
    }

    private static List<Path> logs(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("db"))) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .sorted()
                    .toList();
        }
    }
}
