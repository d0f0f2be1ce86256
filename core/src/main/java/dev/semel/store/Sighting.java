package dev.semel.store;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a store knows of a key at a moment.
 *
 * @param record what is stored, even if its time is over; null where there is nothing
 * @param now what time it is for the store
 * @param quotaWait how long the user has to wait before they may begin a new key; zero if they need not
 */
public record Sighting(@Nullable OnceRecord record, Instant now, Duration quotaWait) {}
