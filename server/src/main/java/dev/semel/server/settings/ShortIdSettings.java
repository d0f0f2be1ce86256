package dev.semel.server.settings;

import dev.semel.kv.KvTiming;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the allocation of short ids.
 *
 * @param letters maximum number of letters in a short id
 * @param keyValues timing if ids are allocated as on a key-value store; null if the store creates posts atomically
 * @param overwritesAccepted whether the timing may be one with which posts can be overwritten
 */
public record ShortIdSettings(int letters, @Nullable KvTiming keyValues, boolean overwritesAccepted) {

    /** Returns the settings of a store that creates posts atomically. */
    public static ShortIdSettings atomic(int letters) {
        return new ShortIdSettings(letters, null, false);
    }
}
