package dev.semel.bench.rocksdb;

import static dev.semel.bench.rocksdb.RocksDbFigures.DEFAULT;
import static dev.semel.bench.rocksdb.RocksDbFigures.LARGE;
import static dev.semel.bench.rocksdb.RocksDbFigures.SEMEL;
import static dev.semel.bench.rocksdb.RocksDbFigures.SEMEL_PLATFORM;
import static dev.semel.bench.rocksdb.RocksDbFigures.SMALL;
import static dev.semel.bench.rocksdb.RocksDbFigures.TUNED;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.bench.Contest;
import dev.semel.bench.Contest.Effort;
import dev.semel.bench.Contest.Scores;
import dev.semel.bench.TempFolder;
import dev.semel.bench.rocksdb.BareDatabase.Row;
import dev.semel.once.Call;
import dev.semel.store.OnceKey;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** Measures everything, in a folder of its own. */
final class RocksDbRun {

    static final List<Integer> CALLERS = List.of(1, 2, 8, 64);
    static final List<Integer> READERS = List.of(1, 2);

    private static final int FILLERS = 2;
    private static final int KNOWN = 1024;
    private static final int WARM_UP_CALLS = 300_000;

    /** Until indexes are in memory, and most of what was filled is in order. */
    private static final long WARM_UP_QUERIES = 100_000;

    private static final PrintStream PROGRESS = System.err;

    private final Path folder;
    private final Effort effort;
    private final long keys;
    private final long smallKeys;
    private final RocksDbFigures figures = new RocksDbFigures();

    /**
     * @param keys how many the largest store is filled with
     * @param smallKeys how many the small one is, to which others are compared
     */
    RocksDbRun(Path folder, Effort effort, long keys, long smallKeys) {
        this.folder = folder;
        this.effort = effort;
        this.keys = keys;
        this.smallKeys = Math.min(keys, smallKeys);
    }

    RocksDbFigures run() {
        warmUp();
        List<Row> rows = rowsOfACall();
        figures.bytesOfACall = rows.stream().mapToInt(Row::length).sum();
        for (int callers : CALLERS) {
            say("new keys, callers: " + callers);
            figures.fresh.put(callers, fresh(callers, rows));
        }
        for (int callers : READERS) {
            say("known keys, callers: " + callers);
            figures.replays.put(callers, replays(callers));
        }
        grow();
        PROGRESS.println();
        return figures;
    }

    private static void say(String what) {
        PROGRESS.printf("\r%-78s", what);
    }

    /** A caller alone makes too few calls in a slice for the JVM to compile them well. */
    private void warmUp() {
        Path place = folder.resolve("warm");
        fill(place, 0, Math.min(keys, WARM_UP_CALLS));
        delete(place);
    }

    /** One row of each family, as one call has really written them. */
    private List<Row> rowsOfACall() {
        Path place = folder.resolve("one");
        try (PaymentStore store = PaymentStore.open(place, true)) {
            store.pay();
        }
        try (BareDatabase database = BareDatabase.open(place.resolve("db"), true)) {
            return database.rows();
        }
    }

    private Scores fresh(int callers, List<Row> rows) {
        Path place = folder.resolve("fresh-" + callers);
        try (PaymentStore store = PaymentStore.open(place.resolve(SEMEL), true);
                BareDatabase bare = BareDatabase.open(made(place.resolve(DEFAULT)), true);
                BareDatabase tuned = BareDatabase.open(made(place.resolve(TUNED)), false)) {
            Scores scores = new Contest(callers, effort)
                    .withVirtualThreads(SEMEL, store::pay)
                    .with(SEMEL_PLATFORM, store::pay)
                    .with(DEFAULT, () -> bare.write(rows))
                    .with(TUNED, () -> tuned.write(rows))
                    .run();
            Map<String, Long> metrics = store.metrics();
            figures.callsInAGroup.put(
                    callers, (double) metrics.getOrDefault("commits", 0L) / metrics.getOrDefault("groups", 1L));
            return scores;
        } finally {
            delete(place);
        }
    }

    /** Reads the same rows, from two copies of one folder. */
    private Scores replays(int callers) {
        Path place = folder.resolve("replays");
        List<Call> known = new ArrayList<>();
        fill(place.resolve(SEMEL), 0, smallKeys);
        try (PaymentStore store = PaymentStore.open(place.resolve(SEMEL), false)) {
            for (int i = 0; i < KNOWN; i++) {
                Call call = PaymentStore.newCall();
                store.pay(call, "0a");
                known.add(call);
            }
        }
        copy(place.resolve(SEMEL).resolve("db"), place.resolve(DEFAULT));
        List<byte[]> rows = known.stream().map(call -> row(call.key())).toList();
        try (PaymentStore store = PaymentStore.open(place.resolve(SEMEL), true);
                BareDatabase bare = BareDatabase.open(place.resolve(DEFAULT), true)) {
            return new Contest(callers, effort)
                    .with(SEMEL, () -> store.repeat(oneOf(known)))
                    .with(DEFAULT, () -> bare.read(oneOf(rows)))
                    .run();
        } finally {
            delete(place);
        }
    }

    private static byte[] row(OnceKey key) {
        return (key.user() + "\0" + key.endpoint() + "\0" + key.key()).getBytes(UTF_8);
    }

    private static <T> T oneOf(List<T> list) {
        return list.get(ThreadLocalRandom.current().nextInt(list.size()));
    }

    /** Fills one store more and more, and measures it on the way next to a small one that is new each time. */
    private void grow() {
        Path large = folder.resolve(LARGE);
        long filled = 0;
        for (long size = smallKeys; filled < keys; size = Math.min(keys, size * 10)) {
            double perSecond = fill(large, filled, size);
            filled = size;
            figures.sizes.add(measure(large, size, perSecond));
        }
        delete(large);
    }

    private RocksDbFigures.Size measure(Path large, long size, double perSecond) {
        Path small = folder.resolve(SMALL);
        fill(small, 0, smallKeys);
        say(String.format(Locale.ROOT, "%,d stored keys", size));
        long bytes = bytes(large);
        long begun = System.nanoTime();
        try (PaymentStore one = PaymentStore.open(large, true)) {
            Duration opening = Duration.ofNanos(System.nanoTime() - begun);
            try (PaymentStore other = PaymentStore.open(small, true)) {
                for (long i = 0; i < Math.min(size, WARM_UP_QUERIES); i++) {
                    other.list(smallKeys);
                    one.list(size);
                }
                Scores queries = new Contest(1, effort)
                        .with(SMALL, () -> other.list(smallKeys))
                        .with(LARGE, () -> one.list(size))
                        .run();
                Scores fresh = new Contest(1, effort)
                        .with(SMALL, other::pay)
                        .with(LARGE, one::pay)
                        .run();
                return new RocksDbFigures.Size(size, bytes, perSecond, opening, fresh, queries);
            }
        } finally {
            delete(small);
        }
    }

    /** Makes payments until there are so many, without waiting for the disk; returns how many a second. */
    static double fill(Path place, long from, long to) {
        long begun = System.nanoTime();
        AtomicLong next = new AtomicLong(from);
        ExecutorService threads = Executors.newFixedThreadPool(FILLERS);
        try (PaymentStore store = PaymentStore.open(place, false)) {
            List<Future<?>> fillers = new ArrayList<>();
            for (int i = 0; i < FILLERS; i++) {
                fillers.add(threads.submit(() -> fill(store, next, to, begun)));
            }
            for (Future<?> filler : fillers) {
                filler.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while filling", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("Could not fill the store: " + e.getCause(), e.getCause());
        } finally {
            threads.shutdownNow();
        }
        return (to - from) * 1e9 / (System.nanoTime() - begun);
    }

    private static void fill(PaymentStore store, AtomicLong next, long to, long begun) {
        for (long number = next.getAndIncrement(); number < to; number = next.getAndIncrement()) {
            store.fill(number);
            if (number % 100_000 == 0) {
                say(String.format(
                        Locale.ROOT,
                        "filling: %,d of %,d keys, %d s",
                        number,
                        to,
                        Duration.ofNanos(System.nanoTime() - begun).toSeconds()));
            }
        }
    }

    private static Path made(Path place) {
        try {
            return Files.createDirectories(place);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void copy(Path from, Path to) {
        try (Stream<Path> files = Files.list(from)) {
            made(to);
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long bytes(Path place) {
        try (Stream<Path> files = Files.walk(place)) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path place) {
        try {
            TempFolder.delete(place);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
