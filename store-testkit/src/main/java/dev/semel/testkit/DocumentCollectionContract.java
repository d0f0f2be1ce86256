package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.document.DocumentCollection;
import dev.semel.document.DocumentCollection.WriteResult;
import dev.semel.document.Transactions;
import dev.semel.id.IdSchemes;
import dev.semel.id.MalformedException;
import dev.semel.json.Json;
import dev.semel.key.KeyRange;
import dev.semel.key.KeyTemplate;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.Outcome;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.Response;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** A create never overwrites, an update checks the version, and an upsert retries after a write conflict. */
public interface DocumentCollectionContract extends DocumentFixture {

    /** Documents of any content, by any id. */
    DocumentCollection NOTES = DocumentCollection.of("notes", KeyTemplate.of("{id}"));

    private WriteResult write(Transactions.Operation<WriteResult, RuntimeException> operation) {
        return transactions().run(operation);
    }

    @Test
    default void create_writesVersion1_andNeverOverwrites() {
        Instant now = time().instant();
        WriteResult first = write(tx -> NOTES.create(tx, "a", Json.of("{\"n\":1}")));
        Document created = ((WriteResult.Written) first).document();
        assertThat(created.id()).isEqualTo(new DocumentId("notes", "", "a"));
        assertThat(created.version()).isEqualTo(1);
        assertThat(created.createdAt()).isEqualTo(now);
        assertThat(created.updatedAt()).isEqualTo(now);
        assertThat(created.expiresAt()).isNull();
        assertThat(created.data()).isEqualTo(Json.of("{\"n\":1}"));
        time().advance(Duration.ofSeconds(1));
        assertThat(write(tx -> NOTES.create(tx, "a", Json.of("2")))).isEqualTo(new WriteResult.Taken(created));
        assertThat(NOTES.read(documents(), "a")).contains(created);
    }

    @Test
    default void documentOfTheHighestVersion_isNotUpdated() {
        Document first = Document.created(new DocumentId("notes", "", "a"), time().instant(), null, Json.of("1"));
        Document highest = new Document(
                first.id(), Long.MAX_VALUE, first.createdAt(), first.updatedAt(), null, first.data(), "", 0);
        transactions().run(tx -> {
            tx.expectAbsent(first.id());
            return tx.put(highest, List.of());
        });
        assertThatThrownBy(() -> write(tx -> NOTES.update(tx, "a", Long.MAX_VALUE, Json.of("2"))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("A document of notes has version 9223372036854775807, the highest:"
                        + " delete it and create it again");
        assertThat(NOTES.read(documents(), "a").orElseThrow().data()).isEqualTo(Json.of("1"));
        write(tx -> NOTES.delete(tx, "a", Long.MAX_VALUE));
        assertThat(write(tx -> NOTES.create(tx, "a", Json.of("3")))).isInstanceOf(WriteResult.Written.class);
    }

    @Test
    default void documentThatWouldExpireAfterMoreThanAHundredYears_isRejected() {
        for (Duration ttl : List.of(Duration.ofDays(36_526), Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThatThrownBy(() -> write(tx -> NOTES.create(tx, "a", Json.of("1"), ttl)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("A ttl must be at most a hundred years, not " + ttl
                            + "; null means that it does not expire");
        }
        write(tx -> NOTES.create(tx, "a", Json.of("1"), Duration.ofDays(36_525)));
        assertThat(NOTES.read(documents(), "a").orElseThrow().expiresAt())
                .isEqualTo(time().instant().plus(Duration.ofDays(36_525)));
    }

    @Test
    default void createMinted_makesAnotherKey_ifTheFirstIsTaken() {
        write(tx -> NOTES.create(tx, "taken", Json.of("1")));
        Iterator<String> keys = List.of("taken", "free").iterator();
        Document created = transactions().run(tx -> NOTES.createMinted(tx, keys::next, Json.of("2")));
        assertThat(created.key()).isEqualTo("free");
        assertThat(NOTES.read(documents(), "taken")).map(Document::data).contains(Json.of("1"));
        Document minted = transactions().run(tx -> NOTES.createMinted(tx, IdSchemes.TID62::mint, Json.of("3")));
        assertThat(NOTES.read(documents(), minted.key())).contains(minted);
    }

    @Test
    default void update_needsTheCurrentVersion() {
        Instant created = time().instant();
        write(tx -> NOTES.create(tx, "a", Json.of("1")));
        time().advance(Duration.ofSeconds(5));
        Document updated = ((WriteResult.Written) write(tx -> NOTES.update(tx, "a", 1, Json.of("2")))).document();
        assertThat(updated.version()).isEqualTo(2);
        assertThat(updated.createdAt()).isEqualTo(created);
        assertThat(updated.updatedAt()).isEqualTo(created.plusSeconds(5));
        assertThat(write(tx -> NOTES.update(tx, "a", 1, Json.of("3")))).isEqualTo(new WriteResult.Stale(updated));
        assertThat(write(tx -> NOTES.update(tx, "b", 1, Json.of("3")))).isEqualTo(new WriteResult.Missing());
        assertThat(NOTES.read(documents(), "a")).contains(updated);
    }

    @Test
    default void update_keepsTheExpiry() {
        write(tx -> NOTES.create(tx, "a", Json.of("1"), Duration.ofSeconds(10)));
        write(tx -> NOTES.update(tx, "a", 1, Json.of("2")));
        time().advance(Duration.ofSeconds(10));
        assertThat(NOTES.read(documents(), "a")).isEmpty();
    }

    @Test
    default void updateWithTtl_replacesTheExpiry() {
        write(tx -> NOTES.create(tx, "a", Json.of("1"), Duration.ofSeconds(10)));
        time().advance(Duration.ofSeconds(9));
        Instant now = time().instant();
        WriteResult extended = write(tx -> NOTES.update(tx, "a", 1, Json.of("2"), Duration.ofSeconds(20)));
        assertThat(((WriteResult.Written) extended).document().expiresAt()).isEqualTo(now.plusSeconds(20));
        time().advance(Duration.ofSeconds(19));
        assertThat(NOTES.read(documents(), "a")).map(Document::data).contains(Json.of("2"));
        assertThat(write(tx -> NOTES.update(tx, "a", 1, Json.of("3"), null))).isInstanceOf(WriteResult.Stale.class);
        time().advance(Duration.ofSeconds(1));
        assertThat(NOTES.read(documents(), "a")).isEmpty();

        write(tx -> NOTES.create(tx, "b", Json.of("1"), Duration.ofSeconds(10)));
        write(tx -> NOTES.update(tx, "b", 1, Json.of("2"), null));
        time().advance(Duration.ofSeconds(10));
        assertThat(NOTES.read(documents(), "b").orElseThrow().expiresAt()).isNull();
        assertThatThrownBy(() -> write(tx -> NOTES.update(tx, "b", 2, Json.of("3"), Duration.ofDays(36_526))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    default void actionAfterACommit_runsOnceHoweverOftenTheOperationIsRetried() {
        write(tx -> NOTES.create(tx, "a", Json.of("1")));
        AtomicInteger runs = new AtomicInteger();
        AtomicInteger actions = new AtomicInteger();
        write(tx -> {
            Document seen = NOTES.read(tx, "a").orElseThrow();
            tx.afterCommit(() -> {
                assertThat(NOTES.read(documents(), "a")).map(Document::data).contains(Json.of("3"));
                actions.incrementAndGet();
            });
            tx.afterCommit(() -> {
                throw new IllegalStateException("ignored");
            });
            tx.afterCommit(actions::incrementAndGet);
            if (runs.getAndIncrement() == 0) {
                write(other -> NOTES.update(other, "a", 1, Json.of("2")));
            }
            return NOTES.update(tx, "a", seen.version(), Json.of("3"));
        });
        assertThat(runs).hasValue(2);
        assertThat(actions).hasValue(2);
        assertThatThrownBy(() -> transactions().run(tx -> {
                    tx.afterCommit(actions::incrementAndGet);
                    throw new IllegalStateException("failed");
                }))
                .hasMessage("failed");
        assertThat(actions).hasValue(2);
    }

    /** The version number is the same, but it is another document. */
    @Test
    default void documentThatWasDeletedAndCreatedAgainMeanwhile_isNotOverwritten() {
        write(tx -> NOTES.create(tx, "a", Json.of("\"old\"")));
        AtomicInteger runs = new AtomicInteger();
        WriteResult result = write(tx -> {
            Document seen = NOTES.read(tx, "a").orElseThrow();
            if (runs.getAndIncrement() == 0) {
                write(other -> NOTES.delete(other, "a"));
                write(other -> NOTES.create(other, "a", Json.of("\"new\"")));
            }
            return NOTES.update(tx, "a", 1, Json.of("[" + seen.data().text() + "]"));
        });
        assertThat(result).isInstanceOf(WriteResult.Written.class);
        assertThat(runs).hasValue(2);
        assertThat(NOTES.read(documents(), "a")).map(Document::data).contains(Json.of("[\"new\"]"));
    }

    @Test
    default void documentThatExpiredAndWasCreatedAgainMeanwhile_isNotOverwritten() {
        write(tx -> NOTES.create(tx, "a", Json.of("\"old\""), Duration.ofSeconds(10)));
        AtomicInteger runs = new AtomicInteger();
        write(tx -> {
            NOTES.read(tx, "a");
            if (runs.getAndIncrement() == 0) {
                time().advance(Duration.ofSeconds(10));
                write(other -> NOTES.create(other, "a", Json.of("\"new\"")));
            }
            return NOTES.update(tx, "a", 1, Json.of("\"newer\""));
        });
        assertThat(runs).hasValue(2);
        assertThat(NOTES.read(documents(), "a")).map(Document::data).contains(Json.of("\"newer\""));
    }

    @Test
    default void documentThatIsDeletedAndCreatedInOneTransaction_hasVersion1() {
        write(tx -> NOTES.create(tx, "a", Json.of("1")));
        write(tx -> NOTES.update(tx, "a", 1, Json.of("2")));
        write(tx -> {
            NOTES.delete(tx, "a");
            return NOTES.create(tx, "a", Json.of("3"));
        });
        Document document = NOTES.read(documents(), "a").orElseThrow();
        assertThat(document.version()).isEqualTo(1);
        assertThat(document.data()).isEqualTo(Json.of("3"));
    }

    @Test
    default void manyTakenKeysInOneTransaction_areAllReportedAfterOneMoreRun() {
        transactions().run(tx -> {
            for (int i = 0; i < 60; i++) {
                NOTES.create(tx, "k" + i, Json.of("1"));
            }
            return 0;
        });
        AtomicInteger runs = new AtomicInteger();
        int taken = transactions().run(tx -> {
            runs.incrementAndGet();
            int count = 0;
            for (int i = 0; i < 60; i++) {
                count += NOTES.create(tx, "k" + i, Json.of("2")) instanceof WriteResult.Taken ? 1 : 0;
            }
            return count;
        });
        assertThat(taken).isEqualTo(60);
        assertThat(runs).hasValue(2);
    }

    /** The operation read an inconsistent state: one account before a transfer, the other after it. */
    @Test
    default void operationThatThrowsBecauseOfAStaleRead_runsAgain() {
        write(tx -> NOTES.create(tx, "a", Json.of("50")));
        write(tx -> NOTES.create(tx, "b", Json.of("50")));
        AtomicInteger runs = new AtomicInteger();
        Outcome outcome = newOnce().atomic(StoreFixture.call("k"), tx -> {
            int a = Integer.parseInt(NOTES.read(tx, "a").orElseThrow().data().text());
            if (runs.getAndIncrement() == 0) {
                transactions().run(other -> {
                    NOTES.update(other, "a", 1, Json.of("0"));
                    return NOTES.update(other, "b", 1, Json.of("100"));
                });
            }
            int b = Integer.parseInt(NOTES.read(tx, "b").orElseThrow().data().text());
            if (a + b != 100) {
                throw new IllegalStateException("the sum is " + (a + b));
            }
            return Response.of("sound");
        });
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(runs).hasValue(2);
    }

    @Test
    default void refusalBecauseOfAStaleRead_isNotRecorded() {
        AtomicInteger runs = new AtomicInteger();
        Outcome outcome = newOnce().atomic(StoreFixture.call("k"), tx -> {
            boolean there = NOTES.read(tx, "a").isPresent();
            if (runs.getAndIncrement() == 0) {
                write(other -> NOTES.create(other, "a", Json.of("1")));
            }
            return there ? Response.of("there") : Response.of("not there").asRefusal();
        });
        assertThat(((Outcome.Executed) outcome).response()).isEqualTo(Response.of("there"));
    }

    @Test
    default void update_afterTheClockWasSetBack_keepsTheUpdateTime() {
        Instant created = time().instant();
        write(tx -> NOTES.create(tx, "a", Json.of("1")));
        time().setClock(created.minusSeconds(3600));
        Document updated = ((WriteResult.Written) write(tx -> NOTES.update(tx, "a", 1, Json.of("2")))).document();
        assertThat(updated.updatedAt()).isEqualTo(created);
    }

    @Test
    default void delete_worksWithAndWithoutAVersion() {
        write(tx -> NOTES.create(tx, "a", Json.of("1")));
        assertThat(write(tx -> NOTES.delete(tx, "a", 2))).isInstanceOf(WriteResult.Stale.class);
        assertThat(write(tx -> NOTES.delete(tx, "a", 1))).isInstanceOf(WriteResult.Written.class);
        assertThat(write(tx -> NOTES.delete(tx, "a", 1))).isEqualTo(new WriteResult.Missing());
        assertThat(write(tx -> NOTES.delete(tx, "a"))).isEqualTo(new WriteResult.Missing());
        assertThat(write(tx -> NOTES.create(tx, "a", Json.of("2")))).isInstanceOf(WriteResult.Written.class);
        assertThat(write(tx -> NOTES.delete(tx, "a"))).isInstanceOf(WriteResult.Written.class);
        assertThat(NOTES.read(documents(), "a")).isEmpty();
    }

    @Test
    default void documentWithATtl_isAbsentAfterIt() {
        write(tx -> NOTES.create(tx, "a", Json.of("1"), Duration.ofSeconds(10)));
        time().advance(Duration.ofSeconds(9));
        assertThat(write(tx -> NOTES.create(tx, "a", Json.of("2")))).isInstanceOf(WriteResult.Taken.class);
        time().advance(Duration.ofSeconds(1));
        assertThat(NOTES.read(documents(), "a")).isEmpty();
        assertThat(write(tx -> NOTES.create(tx, "a", Json.of("2")))).isInstanceOf(WriteResult.Written.class);
    }

    @Test
    default void transaction_seesItsOwnWrites() {
        transactions().run(tx -> {
            NOTES.create(tx, "a", Json.of("1"));
            assertThat(NOTES.read(tx, "a")).map(Document::version).contains(1L);
            assertThat(NOTES.create(tx, "a", Json.of("2"))).isInstanceOf(WriteResult.Taken.class);
            NOTES.update(tx, "a", 1, Json.of("2"));
            assertThat(NOTES.read(tx, "a")).map(Document::version).contains(2L);
            NOTES.create(tx, "b", Json.of("1"));
            NOTES.delete(tx, "b");
            assertThat(NOTES.read(tx, "b")).isEmpty();
            return 0;
        });
        assertThat(NOTES.read(documents(), "a")).map(Document::version).contains(2L);
        assertThat(NOTES.read(documents(), "b")).isEmpty();
    }

    @Test
    default void malformedKeys_areRejected() {
        for (String key : List.of("", "a b", "é", "a\n", "x".repeat(256), "../a")) {
            assertThatThrownBy(() -> write(tx -> NOTES.create(tx, key, Json.of("1"))))
                    .isInstanceOf(MalformedException.class);
            assertThatThrownBy(() -> NOTES.read(documents(), key)).isInstanceOf(MalformedException.class);
        }
    }

    @Test
    default void upsert_createsAndThenUpdates() {
        NOTES.upsert(transactions(), "a", current -> Json.of("1"));
        NOTES.upsert(
                transactions(),
                "a",
                current -> Json.of(current.orElseThrow().data().text() + "0"));
        Document document = NOTES.read(documents(), "a").orElseThrow();
        assertThat(document.version()).isEqualTo(2);
        assertThat(document.data()).isEqualTo(Json.of("10"));
    }

    @Test
    default void upsert_onWriteConflicts_retriesAfter100And200And400Millis() {
        FaultyStore faulty = new FaultyStore(store());
        List<Duration> tries = new ArrayList<>();
        Instant startedAt = time().instant();
        AtomicInteger disturbances = new AtomicInteger(3);
        faulty.beforeCommit(() -> {
            tries.add(Duration.between(startedAt, time().instant()));
            if (disturbances.getAndDecrement() > 0) {
                NOTES.upsert(transactions(), "a", current -> Json.of("\"other\""));
            }
        });
        List<Long> seen = new ArrayList<>();
        WriteResult result = NOTES.upsert(new Transactions(faulty, time()), "a", current -> {
            seen.add(current.map(Document::version).orElse(0L));
            return Json.of("\"mine\"");
        });
        assertThat(((WriteResult.Written) result).document().version()).isEqualTo(4);
        assertThat(seen).containsExactly(0L, 1L, 2L, 3L);
        assertThat(tries)
                .containsExactly(Duration.ZERO, Duration.ofMillis(100), Duration.ofMillis(300), Duration.ofMillis(700));
    }

    @Test
    default void upsert_thatKeepsConflicting_writesNothing_andReturnsTheCurrentDocument() {
        FaultyStore faulty = new FaultyStore(store());
        faulty.beforeCommit(() -> NOTES.upsert(transactions(), "a", current -> Json.of("\"other\"")));
        WriteResult result = NOTES.upsert(new Transactions(faulty, time()), "a", current -> Json.of("\"mine\""));
        Document current = ((WriteResult.Stale) result).current();
        assertThat(current.version()).isEqualTo(4);
        assertThat(current.data()).isEqualTo(Json.of("\"other\""));
        assertThat(faulty.commits()).isEqualTo(4);
    }

    /** Many threads increment one counter without a lost update. */
    @Test
    default void manyThreadsThatCountInOneDocument_loseNoUpdate() throws Exception {
        int threads = 16;
        int each = 50;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> counting = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int thread = i;
                var once = newOnce();
                counting.add(pool.submit(() -> {
                    for (int j = 0; j < each; j++) {
                        Outcome outcome = countOnce(once, StoreFixture.call(thread + "-" + j));
                        while (outcome instanceof Outcome.Failed) {
                            outcome = countOnce(once, StoreFixture.call(thread + "-" + j));
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> counter : counting) {
                counter.get();
            }
        } finally {
            pool.shutdownNow();
        }
        Document counter = NOTES.read(documents(), "counter").orElseThrow();
        assertThat(counter.data()).isEqualTo(Json.of(Integer.toString(threads * each)));
        assertThat(counter.version()).isEqualTo((long) threads * each);
    }

    private static Outcome countOnce(Once once, Call call) {
        return once.atomic(call, tx -> {
            var counter = NOTES.read(tx, "counter");
            LockSupport.parkNanos(10_000); // long enough for other threads to write in between
            if (counter.isEmpty()) {
                NOTES.create(tx, "counter", Json.of("1"));
            } else {
                Document current = counter.get();
                int next = Integer.parseInt(current.data().text()) + 1;
                NOTES.update(tx, "counter", current.version(), Json.of(Integer.toString(next)));
            }
            return Response.of("counted");
        });
    }

    @Test
    default void documentsOfOneOwner_areNeitherSeenNorChangedByAnother() {
        DocumentCollection notes = DocumentCollection.of(
                "notes", KeyTemplate.of("{folder:hex}-{id:word}"), KeyTemplate.of("{id:word}-{folder:hex}"));
        DocumentCollection anns = notes.ownedBy("ann");
        DocumentCollection bobs = notes.ownedBy("bob");
        transactions().run(tx -> anns.create(tx, "0a-k", Json.of("\"ann\"")));
        for (DocumentCollection others : List.of(bobs, notes)) {
            assertThat(others.read(documents(), "0a-k")).isEmpty();
            assertThat(others.scan(documents(), KeyRange.ofPrefix(""), null, 10).items())
                    .isEmpty();
            assertThat(others.find(documents(), Map.of("id", "k"), null, 10).items())
                    .isEmpty();
            assertThat(transactions().<WriteResult, RuntimeException>run(tx -> others.delete(tx, "0a-k")))
                    .isEqualTo(new WriteResult.Missing());
            assertThat(transactions()
                            .<WriteResult, RuntimeException>run(tx -> others.update(tx, "0a-k", 1, Json.of("2"))))
                    .isEqualTo(new WriteResult.Missing());
        }
        transactions().run(tx -> bobs.create(tx, "0a-k", Json.of("\"bob\"")));
        assertThat(anns.read(documents(), "0a-k")).map(Document::data).contains(Json.of("\"ann\""));
        assertThat(bobs.find(documents(), Map.of("id", "k"), null, 10).items())
                .extracting(Document::data)
                .containsExactly(Json.of("\"bob\""));
    }
}
