package dev.semel.testkit.crash;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The settings of a crash run.
 *
 * @param opener class that opens the store
 * @param folder folder of the store and of all files of the run; absent, or empty except for files that the opener reads
 * @param kills number of kills and injected faults
 * @param seed seed of everything that is random, see {@link CrashRun}
 * @param workers number of processes that run the same operations at the same time
 * @param callers number of threads of a worker
 * @param lease duration of leases; another worker can take over an operation of a killed one after it
 * @param maxWait time without output after which the workers are treated as hanging
 * @param faults faults to inject; with any, workers retry while the store is unavailable
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

    /** @throws IllegalArgumentException if there are no workers or callers, or if the number of kills is negative */
    public CrashSettings {
        if (kills < 0 || workers < 1 || callers < 1) {
            throw new IllegalArgumentException(
                    "A crash run of " + kills + " kills, " + workers + " workers and " + callers + " callers");
        }
        faults = List.copyOf(faults);
    }

    /** Returns settings with thirty kills, one worker, eight callers and leases of 300 ms. */
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
