package dev.semel.server.settings;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the systems.
 *
 * @param feedRetention how long feed posts are kept; null to keep them forever
 * @param shortIds how short ids are allocated
 * @param readsLegacyKeys whether a request for a document may have its legacy key
 */
public record AppSettings(@Nullable Duration feedRetention, ShortIdSettings shortIds, boolean readsLegacyKeys) {}
