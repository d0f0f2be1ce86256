package dev.semel.bench.rocksdb;

import static dev.semel.bench.ContestFigures.LARGE;
import static dev.semel.bench.ContestFigures.SEMEL;
import static dev.semel.bench.ContestFigures.SEMEL_PLATFORM;
import static dev.semel.bench.ContestFigures.SMALL;
import static dev.semel.bench.rocksdb.RocksDbFigures.BARE;
import static dev.semel.bench.rocksdb.RocksDbFigures.TUNED;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.bench.Callers;
import dev.semel.bench.Contest;
import dev.semel.bench.Contest.Scores;
import dev.semel.bench.Progress;
import dev.semel.bench.Scale;
import dev.semel.bench.TempFolder;
import dev.semel.bench.rocksdb.BareDatabase.Row;
import dev.semel.bench.rocksdb.RocksDbFigures.StoreSize;
import dev.semel.once.Call;
import dev.semel.store.IdempotencyKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Runs the benchmark of the embedded store in an empty folder. */
final class RocksDbRun {

    static final List<Integer> CALLERS = List.of(1, 2, 8, 64);
    static final List<Integer> READERS = List.of(1, 2);

    private static final int FILLERS = 2;
    private static final int KNOWN = 1024;
    private static final int WARM_UP_CALLS = 300_000;

    /** Enough to bring indexes into memory and to compact most of the store. */
    private static final long WARM_UP_QUERIES = 100_000;

    private final Path folder;
    private final Scale scale;
    private final RocksDbFigures figures = new RocksDbFigures();

    /** @param folder an empty folder */
    RocksDbRun(Path folder, Scale scale) {
        this.folder = folder;
        this.scale = scale;
    }

    RocksDbFigures run() {
        warmUp();
        List<Row> rows = rowsOfOneCall();
        figures.bytesPerCall = rows.stream().mapToInt(Row::length).sum();
        for (int callers : CALLERS) {
            Progress.show("new keys, callers: %d", callers);
            figures.fresh.put(callers, fresh(callers, rows));
        }
        for (int callers : READERS) {
            Progress.show("known keys, callers: %d", callers);
            figures.replays.put(callers, replays(callers));
        }
        grow();
        return figures;
    }

    /** One caller makes too few calls in a slice for the JVM to optimize them. */
    private void warmUp() {
        Path subfolder = folder.resolve("warm");
        fill(subfolder, 0, Math.min(scale.keys(), WARM_UP_CALLS));
        delete(subfolder);
    }

    /** Returns the rows that one call writes. */
    private List<Row> rowsOfOneCall() {
        Path subfolder = folder.resolve("one");
        try (PaymentStore store = PaymentStore.open(subfolder, true)) {
            store.pay();
        }
        try (BareDatabase database = BareDatabase.open(subfolder.resolve("db"), true)) {
            return database.rows();
        }
    }

    private Scores fresh(int callers, List<Row> rows) {
        Path subfolder = folder.resolve("fresh-" + callers);
        try (PaymentStore store = PaymentStore.open(subfolder.resolve(SEMEL), true);
                BareDatabase bare = BareDatabase.open(created(subfolder.resolve(BARE)), true);
                BareDatabase tuned = BareDatabase.open(created(subfolder.resolve(TUNED)), false)) {
            Scores scores = new Contest(callers, scale.effort())
                    .withVirtualThreads(SEMEL, store::pay)
                    .with(SEMEL_PLATFORM, store::pay)
                    .with(BARE, () -> bare.write(rows))
                    .with(TUNED, () -> tuned.write(rows))
                    .run();
            Map<String, Long> metrics = store.metrics();
            figures.callsPerGroup.put(
                    callers, (double) metrics.getOrDefault("commits", 0L) / metrics.getOrDefault("groups", 1L));
            return scores;
        } finally {
            delete(subfolder);
        }
    }

    /** Reads the same rows from two copies of one folder. */
    private Scores replays(int callers) {
        Path subfolder = folder.resolve("replays");
        List<Call> known = new ArrayList<>();
        fill(subfolder.resolve(SEMEL), 0, scale.smallKeys());
        try (PaymentStore store = PaymentStore.open(subfolder.resolve(SEMEL), false)) {
            for (int i = 0; i < KNOWN; i++) {
                Call call = PaymentStore.newCall();
                store.pay(call, "0a");
                known.add(call);
            }
        }
        copy(subfolder.resolve(SEMEL).resolve("db"), subfolder.resolve(BARE));
        List<byte[]> rows = known.stream().map(call -> row(call.key())).toList();
        try (PaymentStore store = PaymentStore.open(subfolder.resolve(SEMEL), true);
                BareDatabase bare = BareDatabase.open(subfolder.resolve(BARE), true)) {
            return new Contest(callers, scale.effort())
                    .with(SEMEL, () -> store.retry(Contest.anyOf(known)))
                    .with(BARE, () -> bare.read(Contest.anyOf(rows)))
                    .run();
        } finally {
            delete(subfolder);
        }
    }

    private static byte[] row(IdempotencyKey key) {
        return (key.user() + "\0" + key.endpoint() + "\0" + key.key()).getBytes(UTF_8);
    }

    /** Fills one store in steps, and measures it at each size next to a new small one. */
    private void grow() {
        Path large = folder.resolve(LARGE);
        long filled = 0;
        for (long size : scale.sizes()) {
            double perSecond = fill(large, filled, size);
            filled = size;
            figures.sizes.add(measure(large, size, perSecond));
        }
        delete(large);
    }

    private StoreSize measure(Path large, long size, double perSecond) {
        Path small = folder.resolve(SMALL);
        fill(small, 0, scale.smallKeys());
        Progress.show("%,d stored keys", size);
        long bytes = bytes(large);
        long startedAt = System.nanoTime();
        try (PaymentStore one = PaymentStore.open(large, true)) {
            Duration opening = Duration.ofNanos(System.nanoTime() - startedAt);
            try (PaymentStore other = PaymentStore.open(small, true)) {
                for (long i = 0; i < Math.min(size, WARM_UP_QUERIES); i++) {
                    other.list(scale.smallKeys());
                    one.list(size);
                }
                Scores queries = new Contest(1, scale.effort())
                        .with(SMALL, () -> other.list(scale.smallKeys()))
                        .with(LARGE, () -> one.list(size))
                        .run();
                Scores fresh = new Contest(1, scale.effort())
                        .with(SMALL, other::pay)
                        .with(LARGE, one::pay)
                        .run();
                return new StoreSize(size, bytes, perSecond, opening, fresh, queries);
            }
        } finally {
            delete(small);
        }
    }

    /** Makes payments without syncing, and returns their number per second. */
    private static double fill(Path subfolder, long from, long to) {
        long startedAt = System.nanoTime();
        try (PaymentStore store = PaymentStore.open(subfolder, false)) {
            Callers.forEach(FILLERS, from, to, number -> {
                store.fill(number);
                if (number % 100_000 == 0) {
                    Progress.show(
                            "filling: %,d of %,d keys, %d s",
                            number,
                            to,
                            Duration.ofNanos(System.nanoTime() - startedAt).toSeconds());
                }
            });
        }
        return (to - from) * 1e9 / (System.nanoTime() - startedAt);
    }

    private static Path created(Path subfolder) {
        try {
            return Files.createDirectories(subfolder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void copy(Path from, Path to) {
        try (Stream<Path> files = Files.list(from)) {
            created(to);
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long bytes(Path subfolder) {
        try (Stream<Path> files = Files.walk(subfolder)) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path subfolder) {
        try {
            TempFolder.delete(subfolder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
