package dev.semel.kv;

import dev.semel.document.ShortIdAllocator;
import dev.semel.document.ShortIdAllocator.Rung;
import dev.semel.id.DayNonceScheme;
import dev.semel.id.IdSchemes;
import dev.semel.json.Json;
import dev.semel.once.Once.UnknownOutcomeException;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Allocates short ids such as {@code 260107-bc} on a {@link KeyValueStore}, which has no atomic create. Use {@link ShortIdAllocator} if
 * the store has one: it needs no condition and does not wait.
 *
 * <p>It follows the protocol of the <em>Textpile Post ID v2</em> specification, with four steps more: a writer claims an id under
 * {@code claim:<id>}, waits for the settle time, verifies that the claim is still its own and that there is no post, writes the post under
 * {@code post:<id>}, and verifies it. No post is overwritten under the condition of {@link KvTiming}, if
 *
 * <ul>
 *   <li>all writers use the same or a safe timing,
 *   <li>a write is applied within {@link KvTiming#CLAIM_TTL} − 2 × gap − staleness after it was sent, or never: 59 s with the default
 *       timing, and
 *   <li>the clocks of all writers and of the store measure durations correctly.
 * </ul>
 *
 * <p>The calling thread waits for the settle time, and on a store with staleness also for that. Thread-safe.
 */
public final class KvShortIdAllocator {

    private final KeyValueStore store;
    private final KvProtocol protocol;
    private final DayNonceScheme scheme;
    private final List<Rung> ladder;
    private final Time time;

    private KvShortIdAllocator(
            KeyValueStore store, KvTiming timing, DayNonceScheme scheme, List<Rung> ladder, Time time) {
        this.store = store;
        this.protocol = KvProtocol.of(timing);
        this.scheme = scheme;
        this.ladder = List.copyOf(ladder);
        this.time = time;
    }

    /**
     * Makes an allocator that never overwrites a post.
     *
     * @param scheme makes the random letters; {@link DayNonceScheme#upTo} if the ladder has ids of more than three letters
     * @throws IllegalArgumentException if the timing is not safe; the message names the condition with its numbers
     */
    public static KvShortIdAllocator of(
            KeyValueStore store, KvTiming timing, DayNonceScheme scheme, List<Rung> ladder, Time time) {
        timing.violation().ifPresent(violation -> {
            throw new IllegalArgumentException("Posts could be overwritten: " + violation);
        });
        return new KvShortIdAllocator(store, timing, scheme, ladder, time);
    }

    /** Makes an allocator with any timing. If the timing is not safe, concurrent writers may overwrite each other's posts. */
    public static KvShortIdAllocator acceptingOverwrites(
            KeyValueStore store, KvTiming timing, DayNonceScheme scheme, List<Rung> ladder, Time time) {
        return new KvShortIdAllocator(store, timing, scheme, ladder, time);
    }

    /** Returns the key of the post with a given id. */
    public static String postKey(String id) {
        return "post:" + id;
    }

    private static String claimKey(String id) {
        return "claim:" + id;
    }

    /**
     * Stores a post under a free id.
     *
     * @param requestedAt when the request arrived. All ids that are tried start with its UTC day, even if allocation runs past midnight
     * @param data returns the post, given the id and a secret token that the post has to contain
     * @return the post; empty if all ids that were tried are taken
     * @throws StoreException if the store fails, takes longer than the gap for too many ids, or if the thread is interrupted. Its cause is
     *     an {@link UnknownOutcomeException} if the post may be stored; otherwise no post is stored
     */
    public Optional<Json> allocate(Instant requestedAt, BiFunction<String, String, Json> data) {
        String day = DayNonceScheme.formatDayUTC(requestedAt) + "-";
        KvAllocation allocation = new KvAllocation(protocol, ladder, new RandomCandidates(day, data), time.nanoTime());
        KvAttempt attempt = allocation.attempt();
        while (attempt != null) {
            KvAttempt ended = run(attempt, day + allocation.nonce());
            if (ended.step() == KvStep.ALLOCATED) {
                return Optional.of(ended.post());
            }
            allocation.continueWith(ended, time.nanoTime());
            attempt = allocation.attempt();
        }
        if (allocation.slowAttempts() > 0) {
            throw StoreException.unavailable(
                    "The key-value store took longer than the gap of "
                            + Duration.ofNanos(protocol.gap()).toMillis() + " ms for " + allocation.slowAttempts()
                            + " of the ids that were tried",
                    null);
        }
        return Optional.empty();
    }

    /** Runs an attempt until it has a result. */
    private KvAttempt run(KvAttempt started, String id) {
        KvAttempt attempt = started;
        Duration offset = clockOffset();
        StoreException lostResponse = null;
        boolean written = false;
        try {
            while (!attempt.step().isResult()) {
                written |= attempt.step() == KvStep.WRITE_POST;
                Json read = null;
                try {
                    read = take(attempt, id);
                } catch (StoreException e) {
                    if (attempt.step() == KvStep.WRITE_POST && !e.isCertain()) {
                        lostResponse = e; // reading the post shows whether it was written
                    } else if (attempt.step() == KvStep.WRITE_POST) {
                        throw e;
                    } else if (attempt.step() != KvStep.DELETE_CLAIM) { // which expires if it is not deleted
                        throw written ? unknown(e) : e;
                    }
                }
                attempt = attempt.after(read, time.nanoTime());
                if (attempt.step() == KvStep.WRITE_POST && wasSuspended(offset)) {
                    attempt = attempt.abandoned();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw written
                    ? unknown(e)
                    : StoreException.unavailable("Interrupted before a short id was allocated", null);
        }
        return switch (attempt.step()) {
            case WRITTEN_TOO_LATE, NOT_VISIBLE -> throw unknown(lostResponse);
            case TAKEN -> {
                if (lostResponse != null) {
                    throw unknown(lostResponse);
                }
                yield attempt;
            }
            default -> attempt;
        };
    }

    /** Takes the next step, and returns what it has read. */
    private @Nullable Json take(KvAttempt attempt, String id) throws InterruptedException {
        switch (attempt.step()) {
            case LOOK_FOR_POST, READ_POST, VERIFY_POST -> {
                return store.get(postKey(id)).orElse(null);
            }
            case READ_CLAIM, VERIFY_CLAIM -> {
                return store.get(claimKey(id)).orElse(null);
            }
            case WRITE_CLAIM -> store.put(claimKey(id), attempt.claim(), Duration.ofNanos(protocol.claimTtl()));
            case WRITE_POST -> store.put(postKey(id), attempt.post(), null);
            case DELETE_CLAIM -> store.delete(claimKey(id));
            case SETTLE -> time.sleep(Duration.ofNanos(attempt.settlesFor(time.nanoTime())));
            case AWAIT_VISIBILITY -> time.sleep(Duration.ofNanos(protocol.visible()));
            case ALLOCATED, TAKEN, TOO_SLOW, WRITTEN_TOO_LATE, NOT_VISIBLE ->
                throw new IllegalStateException("The attempt is over");
        }
        return null;
    }

    /** Returns the difference of the two clocks, of which only the wall clock runs while the machine is suspended. */
    private Duration clockOffset() {
        return Duration.between(Instant.EPOCH, time.instant()).minusNanos(time.nanoTime());
    }

    private boolean wasSuspended(Duration offset) {
        return clockOffset().minus(offset).toNanos() > protocol.gap();
    }

    private static StoreException unknown(@Nullable Throwable cause) {
        return StoreException.unavailable(
                "A post was written, and it is unknown whether it is stored under its id",
                new UnknownOutcomeException("The post may be stored", cause));
    }

    /** Random letters, and a new token for each attempt. */
    private final class RandomCandidates implements KvAllocation.Candidates {

        private final String day;
        private final BiFunction<String, String, Json> data;
        private String token = "";

        RandomCandidates(String day, BiFunction<String, String, Json> data) {
            this.day = day;
            this.data = data;
        }

        @Override
        public String nonce(int letters) {
            return scheme.randomNonce(letters);
        }

        @Override
        public Json claim(String nonce) {
            token = IdSchemes.UUID4.mint();
            return Json.of("\"" + token + "\"");
        }

        @Override
        public Json post(String nonce) {
            return data.apply(day + nonce, token);
        }
    }
}
