package dev.semel.server.cli;

import dev.semel.store.StoreException;
import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.admin.StoreAdmin.Cleanup;
import dev.semel.store.admin.StoreAdmin.SweepStep;
import dev.semel.store.admin.Sweeper;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the confirmed entries that have expired while a processor runs, since the store of an outbox may have no server that sweeps it.
 */
final class ExpiredEntries implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ExpiredEntries.class);
    private static final Duration PERIOD = Duration.ofHours(1);

    private final StoreAdmin admin;
    private final Sweeper sweeper;

    /** Starts to sweep the store at intervals. */
    ExpiredEntries(OutboxOptions.Opened opened) {
        this.admin = opened.storage().admin();
        this.sweeper = new Sweeper(admin, opened.time());
        sweeper.every(PERIOD, ExpiredEntries::warn);
    }

    private static void warn(RuntimeException e) {
        LOG.atWarn().setCause(e).log("Expired entries cannot be deleted");
    }

    /**
     * Sweeps the store now, at full speed, if the last sweep was long ago. A processor that runs for a few seconds only, as one started by
     * cron, would never sweep otherwise.
     */
    void deleteIfDue() {
        try {
            Instant now = admin.clock().instant();
            boolean due = admin.cleanups(1).stream()
                    .noneMatch(last -> last.time().plus(PERIOD).isAfter(now));
            if (due) {
                sweep(now);
            }
        } catch (StoreException e) {
            warn(e);
        }
    }

    private void sweep(Instant now) {
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

    @Override
    public void close() {
        sweeper.close();
    }
}
