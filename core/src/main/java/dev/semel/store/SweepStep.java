package dev.semel.store;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * What a step of a sweep did.
 *
 * @param deleted how much was let go, by what it was
 * @param next where to go on; empty if that was all
 * @param waited how much of its time it let others go first, and was in nobody's way
 */
public record SweepStep(Map<String, Long> deleted, Optional<String> next, Duration waited) {

    /** A step that waited for nobody. */
    public SweepStep(Map<String, Long> deleted, Optional<String> next) {
        this(deleted, next, Duration.ZERO);
    }
}
