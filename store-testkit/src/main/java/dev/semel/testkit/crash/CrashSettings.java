package dev.semel.testkit.crash;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What a crash run does.
 *
 * @param opener opens the store
 * @param folder where everything goes, the store among it; has to be empty or absent, but for what the opener wants to find
 * @param kills how often a worker is killed, or a fault injected
 * @param seed of what is drawn: see {@link CrashRun}
 * @param workers how many processes do the same operations at the same time
 * @param callers how many threads of a worker call at once
 * @param lease how long a leased operation of a worker that was killed keeps the next from taking it over
 * @param maxWait how long the workers may say nothing before they count as hanging
 * @param faults what else may befall the store; if there are any, workers ask again when it is out of reach
 */
public record CrashSettings(
        Class<? extends StoreOpener> opener,
        Path folder,
        int kills,
        long seed,
        int workers,
        int callers,
        Duration lease,
        Duration maxWait,
        List<Fault> faults) {

    /** @throws IllegalArgumentException if there is nobody to call, or if the number of kills is negative */
    public CrashSettings {
        if (kills < 0 || workers < 1 || callers < 1) {
            throw new IllegalArgumentException(
                    "A crash run of " + kills + " kills, " + workers + " workers and " + callers + " callers");
        }
        faults = List.copyOf(faults);
    }

    /** Thirty kills, a worker with eight callers, leases of 300 ms. */
    public static CrashSettings of(Class<? extends StoreOpener> opener, Path folder) {
        return new CrashSettings(
                opener, folder, 30, 1, 1, 8, Duration.ofMillis(300), Duration.ofSeconds(30), List.of());
    }

    public CrashSettings withKills(int kills) {
        return new CrashSettings(opener, folder, kills, seed, workers, callers, lease, maxWait, faults);
    }

    public CrashSettings withSeed(long seed) {
        return new CrashSettings(opener, folder, kills, seed, workers, callers, lease, maxWait, faults);
    }

    public CrashSettings withWorkers(int workers) {
        return new CrashSettings(opener, folder, kills, seed, workers, callers, lease, maxWait, faults);
    }

    public CrashSettings withCallers(int callers) {
        return new CrashSettings(opener, folder, kills, seed, workers, callers, lease, maxWait, faults);
    }

    public CrashSettings withLease(Duration lease) {
        return new CrashSettings(opener, folder, kills, seed, workers, callers, lease, maxWait, faults);
    }

    public CrashSettings withMaxWait(Duration maxWait) {
        return new CrashSettings(opener, folder, kills, seed, workers, callers, lease, maxWait, faults);
    }

    public CrashSettings withFaults(List<Fault> faults) {
        return new CrashSettings(opener, folder, kills, seed, workers, callers, lease, maxWait, faults);
    }
}
