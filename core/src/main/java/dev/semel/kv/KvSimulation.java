package dev.semel.kv;

import dev.semel.document.ShortIdAllocator;
import dev.semel.json.Json;
import java.time.Duration;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Simulates writers that allocate short ids on a key-value store, in virtual time: 100,000 posts take seconds. It drives the code of {@link
 * KvShortIdAllocator}, and counts the posts that are overwritten. The same settings give the same result.
 *
 * <p>Each writer submits one post after another. A write takes a random time up to the gap, a read no time. A read returns what was
 * current a random time ago, at most the staleness. A share of the ids, the occupancy, is in use: when a post is stored, another is
 * removed.
 */
public final class KvSimulation {

    private final Settings settings;
    private final KvProtocol protocol;
    private final SplittableRandom random;
    private final SimulatedIds ids;
    private final PriorityQueue<Writer> events = new PriorityQueue<>();
    private final long gap;
    private final long staleness;
    private long now;
    private long tokens;
    private long started;
    private long allocated;
    private long failed;
    private long overwritten;
    private long attempts;

    /**
     * What is simulated.
     *
     * @param posts number of posts to submit
     * @param writers number of concurrent writers
     * @param timing times of the writers and the store; the staleness must have a bound
     * @param occupancy share of the ids that are in use, from 0 to 1
     * @param seed selects the random numbers
     * @param literal whether to run the steps of the Textpile specification as they are written
     */
    public record Settings(long posts, int writers, KvTiming timing, double occupancy, long seed, boolean literal) {

        /**
         * Checks the numbers.
         *
         * @throws IllegalArgumentException if a number is out of range
         */
        public Settings {
            if (posts < 1 || writers < 1 || !(occupancy >= 0 && occupancy <= 1) || timing.staleness() == null) {
                throw new IllegalArgumentException(
                        "A simulation has at least one post and one writer, an occupancy from 0 to 1 and a staleness");
            }
        }

        /** Returns the share of posts for which all ids that are tried are in use, by the formula. */
        public double expectedFailureRate() {
            int tries = ShortIdAllocator.LADDER.stream()
                    .mapToInt(ShortIdAllocator.Rung::tries)
                    .sum();
            return Math.pow(occupancy, tries);
        }
    }

    /**
     * What happened.
     *
     * @param allocated posts whose writer got an id
     * @param overwritten posts that were replaced after their writer got the id
     * @param failed posts whose writer got no id
     * @param attempts ids that were tried
     * @param duration virtual time that passed
     */
    public record Result(long allocated, long overwritten, long failed, long attempts, Duration duration) {}

    private KvSimulation(Settings settings) {
        this.settings = settings;
        this.protocol =
                settings.literal ? KvProtocol.literal(KvTiming.CLAIM_TTL.toNanos()) : KvProtocol.of(settings.timing);
        this.random = new SplittableRandom(settings.seed);
        this.staleness = Objects.requireNonNull(settings.timing.staleness()).toNanos();
        this.ids = new SimulatedIds(settings.occupancy, staleness, random);
        this.gap = settings.timing.gap().toNanos();
    }

    /** Runs a simulation with given settings, and returns what happened in it. */
    public static Result run(Settings settings) {
        return new KvSimulation(settings).run();
    }

    private Result run() {
        long start = settings.timing.settle().plus(settings.timing.gap()).toNanos();
        for (int i = 0; i < settings.writers && started < settings.posts; i++) {
            new Writer().submit(random.nextLong(start + 1));
        }
        for (Writer next = events.poll(); next != null; next = events.poll()) {
            now = next.due;
            next.run();
        }
        return new Result(allocated, overwritten, failed, attempts, Duration.ofNanos(now));
    }

    /** A writer, and when its step is applied. */
    private final class Writer implements Comparable<Writer>, KvAllocation.Candidates {

        private long due;
        private long tie;
        private long sentAt;
        private @Nullable Json read;
        private @Nullable KvAllocation allocation;
        private SimulatedIds.@Nullable Entry entry;

        /** Submits the next post of this writer at a given time. */
        void submit(long at) {
            started++;
            now = at;
            allocation = new KvAllocation(protocol, ShortIdAllocator.LADDER, this, at);
            begin();
        }

        /** Begins the current step. */
        private void begin() {
            KvAttempt attempt = attempt();
            sentAt = now;
            read = null;
            due = now
                    + switch (attempt.step()) {
                        case SETTLE -> attempt.settlesFor(now);
                        case AWAIT_VISIBILITY -> protocol.visible();
                        case WRITE_CLAIM, WRITE_POST, DELETE_CLAIM -> random.nextLong(gap + 1);
                        default -> 0;
                    };
            tie = random.nextLong();
            events.add(this);
        }

        void run() {
            apply(attempt().step(), entry());
            KvAttempt attempt = attempt().after(read, now);
            if (attempt.step().isResult()) {
                end(attempt);
            } else {
                allocation().continueWith(attempt, now);
                begin();
            }
        }

        private void apply(KvStep step, SimulatedIds.Entry id) {
            long asOf = now - (staleness == 0 ? 0 : random.nextLong(staleness + 1));
            switch (step) {
                case LOOK_FOR_POST, READ_POST, VERIFY_POST -> read = id.post.at(asOf);
                case READ_CLAIM, VERIFY_CLAIM -> read = id.claim.at(asOf);
                case WRITE_CLAIM -> id.claim.set(attempt().claim(), now, sentAt + protocol.claimTtl());
                case WRITE_POST -> {
                    overwritten += id.replacesReported(now) ? 1 : 0;
                    id.post.set(attempt().post(), now, Long.MAX_VALUE);
                }
                case DELETE_CLAIM -> id.claim.set(null, now, Long.MAX_VALUE);
                default -> {} // waits
            }
        }

        private void end(KvAttempt attempt) {
            SimulatedIds.Entry id = entry();
            if (attempt.step() == KvStep.ALLOCATED) {
                allocated++;
                overwritten += id.wasReplacedBeforeReport(attempt.post()) ? 1 : 0;
            }
            ids.leave(id, now);
            entry = null;
            if (attempt.step() == KvStep.TAKEN || attempt.step() == KvStep.TOO_SLOW) {
                allocation().continueWith(attempt, now);
                if (allocation().attempt() != null) {
                    begin();
                    return;
                }
            }
            failed += attempt.step() == KvStep.ALLOCATED ? 0 : 1;
            if (started < settings.posts) {
                submit(now);
            }
        }

        private KvAllocation allocation() {
            return Objects.requireNonNull(allocation);
        }

        private KvAttempt attempt() {
            return Objects.requireNonNull(allocation().attempt());
        }

        private SimulatedIds.Entry entry() {
            return Objects.requireNonNull(entry);
        }

        @Override
        public String nonce(int letters) {
            attempts++;
            entry = ids.draw(letters, now);
            return "";
        }

        @Override
        public Json claim(String nonce) {
            return Json.of(Long.toString(++tokens));
        }

        @Override
        public Json post(String nonce) {
            return Json.of("-" + tokens);
        }

        @Override
        public int compareTo(Writer other) {
            int byTime = Long.compare(due, other.due);
            return byTime != 0 ? byTime : Long.compare(tie, other.tie);
        }
    }
}
