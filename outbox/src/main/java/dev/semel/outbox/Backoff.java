package dev.semel.outbox;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** The pauses between attempts. Each is shortened by up to half at random, so that clients do not send all at once. */
final class Backoff {

    private static final long FIRST_MILLIS = 1_000;
    private static final int MOST_DOUBLINGS = 5;
    private static final long FIRST_QUESTION_MILLIS = 60_000;
    private static final int MOST_QUESTION_DOUBLINGS = 6;

    private final RandomGenerator random;

    Backoff(RandomGenerator random) {
        this.random = random;
    }

    /**
     * Returns 1, 2, 4, 8, 16 and then 32 seconds, shortened.
     *
     * @param retries how many attempts have failed before this one
     * @param atLeast a lower bound, to which the random part is added instead
     */
    Duration pause(int retries, Duration atLeast) {
        Duration pause = shortened(FIRST_MILLIS << Math.min(retries, MOST_DOUBLINGS));
        return pause.compareTo(atLeast) >= 0 ? pause : atLeast.plusMillis(random.nextLong(FIRST_MILLIS / 2));
    }

    /** Returns 1, 2, 4 minutes, and so on up to about an hour, shortened. */
    Duration betweenQuestions(int retries) {
        return shortened(FIRST_QUESTION_MILLIS << Math.min(retries, MOST_QUESTION_DOUBLINGS));
    }

    private Duration shortened(long millis) {
        return Duration.ofMillis(millis - random.nextLong(millis / 2 + 1));
    }
}
