package dev.semel.server.cli;

import dev.semel.store.StoreException;
import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.admin.StoreAdmin.Cleanup;
import dev.semel.store.admin.StoreAdmin.SweepStep;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the confirmed entries that have expired from a store that belongs to this process. A processor that runs for long sweeps the store
 * itself, and a shared store is swept by its servers. A processor that cron starts for a few seconds would never get to it.
 */
final class ExpiredEntries {

    private static final Logger LOG = LoggerFactory.getLogger(ExpiredEntries.class);
    private static final Duration PERIOD = Duration.ofHours(6);

    private ExpiredEntries() {}

    /** Sweeps a store at full speed, if the last sweep was long ago. Logs a failure. */
    static void deleteIfDue(OutboxOptions.Opened opened) {
        if (!opened.storage().store().isExclusive()) {
            return;
        }
        StoreAdmin admin = opened.storage().admin();
        try {
            Instant now = admin.clock().instant();
            boolean due = admin.cleanups(1).stream()
                    .noneMatch(last -> last.time().plus(PERIOD).isAfter(now));
            if (due) {
                sweep(admin, now);
            }
        } catch (StoreException e) {
            LOG.atWarn().setCause(e).log("Expired entries cannot be deleted");
        }
    }

    private static void sweep(StoreAdmin admin, Instant now) {
        Map<String, Long> deleted = new TreeMap<>();
        Optional<String> from = Optional.of("");
        while (from.isPresent()) {
            SweepStep step = admin.sweep(from.get());
            step.deleted().forEach((table, count) -> deleted.merge(table, count, Long::sum));
            from = step.next();
        }
        List<Cleanup> cleanups = deleted.entrySet().stream()
                .map(table -> new Cleanup(table.getKey(), table.getValue(), now))
                .toList();
        admin.log(cleanups);
    }
}
