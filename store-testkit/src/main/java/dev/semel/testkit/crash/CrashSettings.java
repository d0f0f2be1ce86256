package dev.semel.testkit.crash;

import java.nio.file.Path;
import java.time.Duration;

/**
 * What a crash run does.
 *
 * @param opener opens the store
 * @param folder where everything goes, the store among it; has to be empty or absent
 * @param kills how often the worker is killed
 * @param seed of what is drawn: see {@link CrashRun}
 * @param callers how many threads of the worker call at once
 * @param lease how long a leased operation of a worker that was killed keeps the next from taking it over
 * @param patience how long a worker may say nothing before it counts as hanging
 */
public record CrashSettings(
        Class<? extends StoreOpener> opener,
        Path folder,
        int kills,
        long seed,
        int callers,
        Duration lease,
        Duration patience) {

    /** @throws IllegalArgumentException if there is nobody to call, or if the number of kills is negative */
    public CrashSettings {
        if (kills < 0 || callers < 1) {
            throw new IllegalArgumentException("A crash run of " + kills + " kills and " + callers + " callers");
        }
    }

    /** Thirty kills, eight callers, leases of 300 ms. */
    public static CrashSettings of(Class<? extends StoreOpener> opener, Path folder) {
        return new CrashSettings(opener, folder, 30, 1, 8, Duration.ofMillis(300), Duration.ofSeconds(30));
    }

    public CrashSettings withKills(int kills) {
        return new CrashSettings(opener, folder, kills, seed, callers, lease, patience);
    }

    public CrashSettings withSeed(long seed) {
        return new CrashSettings(opener, folder, kills, seed, callers, lease, patience);
    }

    public CrashSettings withCallers(int callers) {
        return new CrashSettings(opener, folder, kills, seed, callers, lease, patience);
    }

    public CrashSettings withLease(Duration lease) {
        return new CrashSettings(opener, folder, kills, seed, callers, lease, patience);
    }

    public CrashSettings withPatience(Duration patience) {
        return new CrashSettings(opener, folder, kills, seed, callers, lease, patience);
    }
}
