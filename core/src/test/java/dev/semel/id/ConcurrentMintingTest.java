package dev.semel.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Mints half a million ids on many threads. All are unique, and those of each thread are in order. */
@Tag("jdk")
class ConcurrentMintingTest {

    private static final int IDS = 500_000;

    /** The schemes that are unique without coordination. */
    static Stream<IdScheme> schemes() {
        return IdSchemes.all().stream()
                .filter(scheme -> scheme != IdSchemes.DAY_NONCE)
                .map(Schemes::minting);
    }

    @ParameterizedTest
    @MethodSource("schemes")
    void eightThreads_mintAMillionDistinctIdsInOrder(IdScheme scheme) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            mintConcurrently(scheme, threads, 8);
        } finally {
            threads.shutdownNow();
        }
    }

    @ParameterizedTest
    @MethodSource("schemes")
    void tenThousandVirtualThreads_mintAMillionDistinctIdsInOrder(IdScheme scheme) throws Exception {
        ExecutorService threads = virtualThreads();
        try {
            mintConcurrently(scheme, threads, 10_000);
        } finally {
            threads.shutdownNow();
        }
    }

    /** Returns virtual threads if the JDK has them. */
    private static ExecutorService virtualThreads() throws ReflectiveOperationException {
        assumeTrue(Runtime.version().feature() >= 21, "this JDK has no virtual threads");
        return (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }

    private static void mintConcurrently(IdScheme scheme, ExecutorService threads, int tasks) throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        Callable<String[]> minting = () -> {
            start.await();
            String[] ids = new String[IDS / tasks];
            Arrays.setAll(ids, i -> scheme.mint());
            return ids;
        };
        List<Future<String[]>> futures = new ArrayList<>();
        for (int i = 0; i < tasks; i++) {
            futures.add(threads.submit(minting));
        }
        start.countDown();

        Set<String> distinct = new HashSet<>(IDS * 2);
        for (Future<String[]> future : futures) {
            String[] ids = future.get();
            assertInOrder(scheme, ids);
            distinct.addAll(Arrays.asList(ids));
        }
        assertThat(distinct).hasSize(IDS);
    }

    /** Compares whole ids if the scheme is strictly monotonic; otherwise their times. */
    private static void assertInOrder(IdScheme scheme, String[] ids) {
        if (!scheme.isSortable()) {
            return;
        }
        Comparator<String> order = scheme == IdSchemes.TID62 || scheme == IdSchemes.KSUID
                ? Comparator.comparing(id -> scheme.parse(id).time().orElseThrow())
                : Comparator.naturalOrder();
        for (int i = 1; i < ids.length; i++) {
            int compared = order.compare(ids[i - 1], ids[i]);
            assertThat(compared).as("%s before %s", ids[i - 1], ids[i]).isLessThanOrEqualTo(0);
        }
    }

    /** Two threads mint in turns. Each id is greater than all ids that the other thread has minted before. */
    @ParameterizedTest
    @MethodSource("rising")
    void threadsTakingTurns_mintRisingIds(IdScheme scheme) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            String previous = scheme.mint();
            for (int i = 0; i < 20_000; i++) {
                String next = threads.submit(scheme::mint).get();
                assertThat(next).isGreaterThan(previous);
                previous = next;
            }
        } finally {
            threads.shutdownNow();
        }
    }

    static Stream<IdScheme> rising() {
        return Schemes.rising();
    }

    @ParameterizedTest
    @MethodSource("rising")
    void eightThreadsOnAClockThatStandsStill_mintDistinctIds(IdScheme system) throws Exception {
        IdScheme scheme = system.withClock(new SettableClock("2026-01-01T00:00:00Z"));
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            mintConcurrently(scheme, threads, 8);
        } finally {
            threads.shutdownNow();
        }
    }
}
