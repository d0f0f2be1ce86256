package dev.semel.server.settings;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the systems.
 *
 * @param feedRetention how long feed posts are kept; null to keep them forever
 * @param shortIds how short ids are allocated
 */
public record AppSettings(@Nullable Duration feedRetention, ShortIdSettings shortIds) {}
