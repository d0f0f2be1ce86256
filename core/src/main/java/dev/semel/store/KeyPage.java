package dev.semel.store;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Some keys.
 *
 * @param records what is known of them, without what was answered
 * @param now what time it is for the store
 * @param next where the next page begins; empty if there is none
 */
public record KeyPage(List<OnceRecord> records, Instant now, Optional<String> next) {}
