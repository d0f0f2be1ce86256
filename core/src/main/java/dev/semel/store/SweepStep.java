package dev.semel.store;

import java.util.Map;
import java.util.Optional;

/**
 * What a step of a sweep did.
 *
 * @param deleted how much was let go, by what it was
 * @param next where to go on; empty if that was all
 */
public record SweepStep(Map<String, Long> deleted, Optional<String> next) {}
