package dev.semel.testkit;

import dev.semel.store.admin.AdminStore;
import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.admin.StoreAdmin.SweepStep;
import dev.semel.store.admin.Sweeper;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/** What the tests of inspection and cleanup share. */
@Needs(AdminStore.class)
public interface AdminFixture extends StoreFixture {

    /** Returns the administration of the store. */
    default StoreAdmin admin() {
        return ((AdminStore) store()).admin();
    }

    /** Runs one sweep, and returns the number of deletions by what was deleted. */
    default Map<String, Long> sweep() {
        Map<String, Long> deleted = new HashMap<>();
        new Sweeper(admin(), time())
                .sweep()
                .forEach(cleanup -> deleted.merge(cleanup.table(), cleanup.deleted(), Long::sum));
        return deleted;
    }

    /**
     * Runs tasks while two threads sweep. All start at the same time.
     *
     * @return the number of deletions
     */
    default long whileSweeping(List<? extends Callable<?>> work) throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        CyclicBarrier together = new CyclicBarrier(work.size() + 2);
        ExecutorService threads = Executors.newFixedThreadPool(work.size() + 2);
        try {
            List<Future<Long>> sweeps = new ArrayList<>();
            for (int sweeper = 0; sweeper < 2; sweeper++) {
                sweeps.add(threads.submit(() -> {
                    together.await();
                    return sweepUntil(done);
                }));
            }
            List<Future<?>> all = new ArrayList<>();
            for (Callable<?> each : work) {
                all.add(threads.submit(() -> {
                    together.await();
                    return each.call();
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
            done.set(true);
            return sweeps.get(0).get() + sweeps.get(1).get();
        } finally {
            done.set(true);
            threads.shutdownNow();
        }
    }

    /** Completes at least one sweep, so that a fast test is swept too. */
    private long sweepUntil(AtomicBoolean done) {
        long deleted = 0;
        String from = "";
        do {
            SweepStep step = admin().sweep(from);
            deleted +=
                    step.deleted().values().stream().mapToLong(Long::longValue).sum();
            from = step.next().orElse("");
        } while (!done.get() || !from.isEmpty());
        return deleted;
    }
}
