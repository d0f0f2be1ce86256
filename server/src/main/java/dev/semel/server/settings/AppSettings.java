package dev.semel.server.settings;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the systems.
 *
 * @param feedRetention how long posts of the feed are kept; null for ever
 * @param shortIdLetters how many letters short ids may have
 */
public record AppSettings(@Nullable Duration feedRetention, int shortIdLetters) {}
