package dev.semel.testkit.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.semel.document.ShortIdAllocator;
import dev.semel.document.ShortIdAllocator.Rung;
import dev.semel.id.DayNonceScheme;
import dev.semel.id.IdSchemes;
import dev.semel.json.Json;
import dev.semel.kv.KvShortIdAllocator;
import dev.semel.kv.KvTiming;
import dev.semel.once.Once.UnknownOutcomeException;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.testkit.ControlledTime;
import dev.semel.testkit.kv.SimulatedKeyValueStore.Fault;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class KvShortIdAllocatorTest {

    private static final Instant REQUESTED_AT = Instant.parse("2026-01-07T12:00:00Z");
    private static final Json OTHERS = Json.of("\"another's\"");
    private static final Duration GAP = KvTiming.DEFAULTS.gap();

    private final ControlledTime time = new ControlledTime();
    private final SimulatedKeyValueStore store = new SimulatedKeyValueStore(time);
    private final KvShortIdAllocator allocator = allocator(KvTiming.DEFAULTS, ShortIdAllocator.LADDER);

    private KvShortIdAllocator allocator(KvTiming timing, List<Rung> ladder) {
        return KvShortIdAllocator.of(store, timing, IdSchemes.DAY_NONCE, ladder, time);
    }

    private static Json post(String id, String token) {
        return Json.of("{\"id\":\"" + id + "\",\"allocToken\":\"" + token + "\"}");
    }

    private Optional<Json> allocate() {
        return allocator.allocate(REQUESTED_AT, KvShortIdAllocatorTest::post);
    }

    private static String id(Json post) {
        return post.text().substring(7, post.text().indexOf('"', 7));
    }

    private StoreException failure() {
        return catchThrowableOfType(StoreException.class, this::allocate);
    }

    private long count(String operation) {
        return store.log().stream().filter(line -> line.startsWith(operation)).count();
    }

    /** Asserts that nothing was stored, and that the allocator knows it. */
    private void assertNothingStored(StoreException failure) {
        assertThat(failure).isNotNull().hasNoCause();
        assertThat(store.log()).noneMatch(line -> line.startsWith("put post:"));
    }

    @Test
    void freeId_isAllocatedBySteps() {
        Json created = allocate().orElseThrow();
        String id = id(created);
        assertThat(id).matches("260107-[bcdfghjkmnpqrstvwxyz]{2}");
        assertThat(store.log())
                .containsExactly(
                        "get post:" + id,
                        "get claim:" + id,
                        "put claim:" + id,
                        "get claim:" + id,
                        "get post:" + id,
                        "put post:" + id,
                        "get post:" + id,
                        "delete claim:" + id);
        assertThat(store.current("post:" + id)).contains(created);
        assertThat(store.current("claim:" + id)).isEmpty();
        assertThat(time.nanoTime()).isEqualTo(KvTiming.DEFAULTS.settle().toNanos());
    }

    @Test
    void takenId_isSkippedWithoutAClaim_andWithoutWaiting() {
        takeAll(2);
        int before = store.log().size();
        Json created = allocate().orElseThrow();
        assertThat(id(created)).matches("260107-[a-z]{3}");
        assertThat(store.log().subList(before, before + 10)).allMatch(line -> line.startsWith("get post:"));
        assertThat(count("put claim:")).isEqualTo(1);
        assertThat(time.nanoTime()).isEqualTo(KvTiming.DEFAULTS.settle().toNanos());
    }

    @Test
    void allTaken_isEmptyAfterTheWholeLadder_andNothingIsWritten() {
        takeAll(2);
        takeAll(3);
        int before = store.log().size();
        assertThat(allocate()).isEmpty();
        List<String> tried = store.log().subList(before, store.log().size());
        assertThat(tried).hasSize(20);
        assertThat(tried.subList(0, 10)).allMatch(line -> line.matches("get post:260107-[a-z]{2}"));
        assertThat(tried.subList(10, 20)).allMatch(line -> line.matches("get post:260107-[a-z]{3}"));
    }

    private void takeAll(int letters) {
        nonces(letters).forEach(nonce -> store.put("post:260107-" + nonce, OTHERS, null));
    }

    private static Stream<String> nonces(int letters) {
        return letters == 0
                ? Stream.of("")
                : nonces(letters - 1)
                        .flatMap(nonce -> DayNonceScheme.SAFE_ALPHABET.chars().mapToObj(c -> nonce + (char) c));
    }

    /** Runs an action on the key of the next operation that begins with a text, when it has been called this often. */
    private void beforeCall(int number, String operation, Runnable action) {
        for (int i = 1; i < number; i++) {
            store.before(operation, () -> {});
        }
        store.before(operation, action);
    }

    private String lastKey() {
        List<String> log = store.log();
        return log.get(log.size() - 1).replaceFirst("^\\w+ \\w+:", "");
    }

    @Test
    void claimedId_isSkipped() {
        store.before("get claim:", () -> store.put("claim:" + lastKey(), OTHERS, null));
        assertThat(allocate()).isPresent();
        assertThat(count("get post:260107-")).isEqualTo(4);
        assertThat(count("put post:")).isEqualTo(1);
    }

    @Test
    void claimThatIsReplacedWhileItSettles_isGivenUp() {
        beforeCall(2, "get claim:", () -> store.put("claim:" + lastKey(), OTHERS, null));
        Json created = allocate().orElseThrow();
        assertThat(count("put post:")).isEqualTo(1);
        assertThat(store.log()).contains("put post:" + id(created));
        assertThat(count("delete claim:")).isEqualTo(1);
    }

    @Test
    void claimThatExpiresWhileItSettles_isGivenUp() {
        beforeCall(2, "get claim:", () -> time.advance(KvTiming.CLAIM_TTL));
        assertThat(allocate()).isPresent();
        assertThat(count("put claim:")).isEqualTo(2);
        assertThat(count("put post:")).isEqualTo(1);
    }

    @Test
    void postThatAppearsWhileTheClaimSettles_isNotOverwritten() {
        beforeCall(2, "get post:", () -> store.put("post:" + lastKey(), OTHERS, null));
        Json created = allocate().orElseThrow();
        String first = store.log().get(0).substring("get ".length());
        assertThat(store.current(first)).contains(OTHERS);
        assertThat(first).isNotEqualTo("post:" + id(created));
    }

    @Test
    void day_isThatOfTheRequest_howeverLongItTakes() {
        Instant lastMoment = Instant.parse("2026-01-07T23:59:59.999Z");
        time.setClock(lastMoment);
        beforeCall(2, "get claim:", () -> time.advance(KvTiming.CLAIM_TTL));
        Json created =
                allocator.allocate(lastMoment, KvShortIdAllocatorTest::post).orElseThrow();
        assertThat(time.instant()).isAfter(Instant.parse("2026-01-08T00:01:00Z"));
        assertThat(id(created)).startsWith("260107-");
    }

    @ParameterizedTest
    @EnumSource(names = {"REJECTED", "LOST_REQUEST", "LOST_RESPONSE"})
    void claimThatCannotBeWritten_failsWithoutAPost(Fault fault) {
        store.fail("put claim:", fault);
        assertNothingStored(failure());
    }

    @ParameterizedTest
    @EnumSource(names = {"REJECTED", "LOST_REQUEST", "LOST_RESPONSE"})
    void claimThatCannotBeVerified_failsWithoutAPost(Fault fault) {
        store.fail("get claim:", Fault.NONE);
        store.fail("get claim:", fault);
        assertNothingStored(failure());
        time.advance(KvTiming.CLAIM_TTL);
        assertThat(store.current("claim:" + lastKey())).isEmpty();
    }

    @Test
    void claimThatTakesLongerThanTheGap_isAbandonedBeforeThePost() {
        store.before("put claim:", () -> time.advance(GAP.plusNanos(1)));
        assertThat(allocate()).isPresent();
        assertThat(count("put claim:")).isEqualTo(2);
        assertThat(count("put post:")).isEqualTo(1);
    }

    @Test
    void claimThatTakesTheWholeGap_isUsed() {
        store.before("put claim:", () -> time.advance(GAP));
        assertThat(allocate()).isPresent();
        assertThat(count("put claim:")).isEqualTo(1);
    }

    @Test
    void storeThatIsAlwaysSlowerThanTheGap_failsWithoutAPost() {
        store.withLatency(GAP);
        StoreException failure = failure();
        assertNothingStored(failure);
        assertThat(failure).hasMessageContaining("longer than the gap of 500 ms for ");
    }

    @Test
    void checksThatTakeLongerThanTheGap_areAbandonedBeforeThePost() {
        beforeCall(2, "get post:", () -> time.advance(GAP.plusNanos(1)));
        assertThat(allocate()).isPresent();
        assertThat(count("put claim:")).isEqualTo(2);
        assertThat(count("put post:")).isEqualTo(1);
    }

    @Test
    void machineThatIsSuspendedWhileTheClaimSettles_abandonsTheId() {
        beforeCall(2, "get claim:", () -> time.setClock(time.instant().plusSeconds(600)));
        assertThat(allocate()).isPresent();
        assertThat(count("put claim:")).isEqualTo(2);
        assertThat(count("put post:")).isEqualTo(1);
    }

    @Test
    void rejectedPost_failsWithoutAPost() {
        store.fail("put post:", Fault.REJECTED);
        assertThat(failure()).isNotNull().hasNoCause();
        assertThat(store.current("post:" + lastKey())).isEmpty();
    }

    @Test
    void postWhoseResponseIsLost_isFoundByReadingIt() {
        store.fail("put post:", Fault.LOST_RESPONSE);
        Json created = allocate().orElseThrow();
        assertThat(store.current("post:" + id(created))).contains(created);
        assertThat(count("put post:")).isEqualTo(1);
    }

    @Test
    void postWhoseRequestIsLost_hasAnUnknownOutcome_andNoOtherIdIsTried() {
        store.fail("put post:", Fault.LOST_REQUEST);
        assertThat(failure()).hasCauseInstanceOf(UnknownOutcomeException.class);
        assertThat(count("put claim:")).isEqualTo(1);
        assertThat(count("delete claim:")).isZero();
    }

    @Test
    void postThatIsWrittenAfterItsClaimHasExpired_hasAnUnknownOutcome() {
        store.before("put post:", () -> time.advance(KvTiming.CLAIM_TTL));
        assertThat(failure()).hasCauseInstanceOf(UnknownOutcomeException.class);
        assertThat(count("put post:")).isEqualTo(1);
        assertThat(count("delete claim:")).isZero();
    }

    @Test
    void postThatCannotBeVerified_hasAnUnknownOutcome() {
        store.fail("get post:", Fault.NONE);
        store.fail("get post:", Fault.NONE);
        store.fail("get post:", Fault.LOST_REQUEST);
        assertThat(failure()).hasCauseInstanceOf(UnknownOutcomeException.class);
    }

    @Test
    void postThatIsNotThereWhenItIsVerified_hasAnUnknownOutcome_andIsNotWrittenAgain() {
        store.withStaleness(Duration.ofSeconds(1)); // more than the timing says
        assertThat(failure()).hasCauseInstanceOf(UnknownOutcomeException.class);
        assertThat(count("put post:")).isEqualTo(1);
        assertThat(store.current("post:" + lastKey())).isPresent();
    }

    @Test
    void postThatIsReplacedBeforeItIsVerified_getsAnotherId() {
        beforeCall(3, "get post:", () -> store.put("post:" + lastKey(), OTHERS, null));
        Json created = allocate().orElseThrow();
        assertThat(store.current("post:" + id(created))).contains(created);
        assertThat(store.current(store.log().get(0).substring("get ".length()))).contains(OTHERS);
    }

    @Test
    void claimThatCannotBeDeleted_expires() {
        store.fail("delete claim:", Fault.LOST_REQUEST);
        Json created = allocate().orElseThrow();
        assertThat(store.current("claim:" + id(created))).isPresent();
        time.advance(KvTiming.CLAIM_TTL);
        assertThat(store.current("claim:" + id(created))).isEmpty();
    }

    @Test
    void claimThatMayHaveExpired_isNotDeleted() {
        beforeCall(3, "get post:", () -> time.advance(KvTiming.CLAIM_TTL));
        assertThat(allocate()).isPresent();
        assertThat(count("delete claim:")).isZero();
    }

    @Test
    void interruptedThread_storesNothing_andStaysInterrupted() {
        KvShortIdAllocator onSystemTime = KvShortIdAllocator.of(
                store, KvTiming.DEFAULTS, IdSchemes.DAY_NONCE, ShortIdAllocator.LADDER, Time.system());
        Thread.currentThread().interrupt();
        try {
            StoreException failure = catchThrowableOfType(
                    StoreException.class, () -> onSystemTime.allocate(REQUESTED_AT, KvShortIdAllocatorTest::post));
            assertNothingStored(failure);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void staleStore_isWaitedForUntilThePostIsVisible() {
        Duration staleness = Duration.ofSeconds(5);
        store.withStaleness(staleness);
        KvTiming timing = new KvTiming(Duration.ofSeconds(11), GAP, staleness);
        assertThat(allocator(timing, ShortIdAllocator.LADDER).allocate(REQUESTED_AT, KvShortIdAllocatorTest::post))
                .isPresent();
        assertThat(count("put post:")).isEqualTo(1);
        assertThat(time.nanoTime()).isEqualTo(Duration.ofSeconds(16).toNanos());
    }

    @Test
    void timingThatIsNotSafe_isRejectedWithItsNumbers_unlessOverwritesAreAccepted() {
        KvTiming unsafe = new KvTiming(Duration.ofSeconds(1), GAP, Duration.ofSeconds(1));
        assertThatThrownBy(() -> allocator(unsafe, ShortIdAllocator.LADDER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Posts could be overwritten: settle must be more than gap + 2 × staleness: 1s is not more"
                        + " than 500ms + 2 × 1s = 2500ms");
        KvTiming unbounded = new KvTiming(Duration.ofSeconds(10), GAP, null);
        assertThatThrownBy(() -> allocator(unbounded, ShortIdAllocator.LADDER)).hasMessageContaining("no bound");
        assertThat(KvShortIdAllocator.acceptingOverwrites(
                                store, unbounded, IdSchemes.DAY_NONCE, ShortIdAllocator.LADDER, time)
                        .allocate(REQUESTED_AT, KvShortIdAllocatorTest::post))
                .isPresent();
    }

    @Test
    void concurrentWriters_onFewFreeIds_getDifferentOnes() throws Exception {
        Time system = Time.system();
        SimulatedKeyValueStore shared = new SimulatedKeyValueStore(system);
        nonces(2).skip(12).forEach(nonce -> shared.put("post:260107-" + nonce, OTHERS, null));
        KvTiming timing = new KvTiming(Duration.ofMillis(2_100), Duration.ofSeconds(2), Duration.ZERO);
        ExecutorService threads = Executors.newFixedThreadPool(16);
        List<Json> created = new ArrayList<>();
        try {
            List<Future<Optional<Json>>> posts = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                KvShortIdAllocator writer =
                        KvShortIdAllocator.of(shared, timing, IdSchemes.DAY_NONCE, List.of(new Rung(2, 1000)), system);
                posts.add(threads.submit(() -> writer.allocate(REQUESTED_AT, KvShortIdAllocatorTest::post)));
            }
            for (Future<Optional<Json>> post : posts) {
                post.get().ifPresent(created::add);
            }
        } finally {
            threads.shutdownNow();
        }
        Set<String> ids = new HashSet<>();
        for (Json post : created) {
            assertThat(ids.add(id(post))).isTrue();
            assertThat(shared.current("post:" + id(post))).contains(post);
        }
        assertThat(ids).hasSize(12);
    }
}
