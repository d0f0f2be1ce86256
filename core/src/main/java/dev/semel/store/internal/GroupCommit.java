package dev.semel.store.internal;

import dev.semel.store.StoreException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Group commit: concurrent callers share a write that costs about the same for many batches as for one, such as a sync to disk or a round
 * trip to a database.
 *
 * <h2>Leader and followers</h2>
 *
 * <p>There is no writer thread. The first caller becomes the leader and writes at once, on its own thread, so a caller that is alone
 * waits for nobody. Callers that arrive during the write queue up and park. When the leader has written, it hands over to the first of the
 * queue, which becomes the leader and writes one group for all of them, up to a number of batches and {@value #MOST_BYTES} bytes. Then it
 * unparks its followers. A caller returns only after the write that contains its batch has returned, so what is acknowledged is as durable
 * as the write.
 *
 * <h2>Gathering</h2>
 *
 * <p>Callers that were just unparked tend to come back at once with their next batch. A leader that wrote immediately would miss them,
 * and the callers would split into two halves, each of which waits for the other's write. So a new leader first waits until as many callers
 * have queued up as took part lately, but not for long: {@link BatchDelay} bounds the wait by half the time that writes take, and skips it
 * where waiting has not made groups larger.
 *
 * <h2>Deferred batches</h2>
 *
 * <p>Background work, such as a sweep, uses {@link #writeDeferred}. Its batch joins a group that is written anyway, if one is likely soon,
 * and causes a write only if none comes.
 *
 * <h2>Failure</h2>
 *
 * <p>If a write throws, nobody knows which of its batches were stored. Every caller of the group gets a {@link StoreException} that is not
 * {@linkplain StoreException#isCertain() certain}, and resolves it by its commit id. The leader hands over whatever was thrown, an
 * {@link Error} included, or else the queue would wait indefinitely. It clears its interrupt flag while it writes for others, and restores it
 * afterwards.
 */
public final class GroupCommit<T> {

    /** A group is not extended beyond this many bytes: the write itself then takes longer than the sync. */
    private static final int MOST_BYTES = 1 << 20;

    private static final long SOON_NANOS = 10_000_000;

    private final Consumer<List<T>> disk;
    private final ToLongFunction<T> bytes;
    private final int most;
    private final long soonNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Entry<T>> queue = new ArrayDeque<>();
    private final Deque<Entry<T>> deferred = new ArrayDeque<>();
    private final BatchDelay delay = new BatchDelay();
    private boolean writing;
    private long lastWritten;
    private int expected;
    private @Nullable Entry<T> gathering;

    /**
     * Makes a queue in front of a disk or a database.
     *
     * @param disk writes batches together, durably, all or none
     * @param bytes returns the size of a batch
     * @param most the most batches in a group
     */
    public GroupCommit(Consumer<List<T>> disk, ToLongFunction<T> bytes, int most) {
        this(disk, bytes, most, SOON_NANOS);
    }

    /** @param soonNanos how long a deferred batch waits for a group. If none was written for as long, none is expected */
    GroupCommit(Consumer<List<T>> disk, ToLongFunction<T> bytes, int most, long soonNanos) {
        this.disk = disk;
        this.bytes = bytes;
        this.most = most;
        this.soonNanos = soonNanos;
        this.lastWritten = System.nanoTime() - soonNanos;
    }

    private static final class Entry<T> {
        private final T batch;
        private final boolean urgent;
        private final Thread thread = Thread.currentThread();
        private volatile boolean done;
        private volatile boolean isNext;
        private @Nullable Throwable failure;

        Entry(T batch, boolean urgent) {
            this.batch = batch;
            this.urgent = urgent;
        }

        void end(@Nullable Throwable failure) {
            this.failure = failure;
            this.done = true;
            LockSupport.unpark(thread);
        }

        void throwFailure() {
            if (failure != null) {
                throw StoreException.unavailable(String.valueOf(failure.getMessage()), failure);
            }
        }
    }

    /**
     * Writes a batch, and returns when it is durable.
     *
     * @throws StoreException if the write failed, for this batch and all others of its group
     */
    public void write(T batch) {
        Entry<T> mine = new Entry<>(batch, true);
        write(mine);
        mine.throwFailure();
    }

    /**
     * Writes a batch that is not urgent, and returns when it is durable. The batch joins the group of other callers if some come soon.
     *
     * @return how long it waited for a group
     * @throws StoreException as {@link #write} does
     */
    public Duration writeDeferred(T batch) {
        Entry<T> mine = new Entry<>(batch, false);
        long startedAt = System.nanoTime();
        long waited = 0;
        if (joinsOthers(mine)) {
            if (isTakenAlong(mine)) {
                await(mine);
            }
            waited = System.nanoTime() - startedAt;
        }
        if (!mine.done) {
            write(mine);
        }
        mine.throwFailure();
        return Duration.ofNanos(waited);
    }

    /** Returns how many urgent batches are likely to be written together next; 0 if none were written lately. */
    public int expected() {
        lock.lock();
        try {
            boolean someAreExpected = writing || System.nanoTime() - lastWritten < soonNanos;
            return someAreExpected ? Math.max(1, expected) : 0;
        } finally {
            lock.unlock();
        }
    }

    private boolean joinsOthers(Entry<T> mine) {
        lock.lock();
        try {
            boolean joins = expected() > 0;
            if (joins) {
                deferred.addLast(mine);
            }
            return joins;
        } finally {
            lock.unlock();
        }
    }

    private boolean isTakenAlong(Entry<T> mine) {
        boolean interrupted = false;
        long startedAt = System.nanoTime();
        for (long left = soonNanos; left > 0 && !mine.done; left = startedAt + soonNanos - System.nanoTime()) {
            LockSupport.parkNanos(mine, left);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        lock.lock();
        try {
            return !deferred.remove(mine);
        } finally {
            lock.unlock();
        }
    }

    private void write(Entry<T> mine) {
        if (!mayWrite(mine)) {
            await(mine);
        }
        if (!mine.done) {
            writeGroup(mine);
        }
    }

    private boolean mayWrite(Entry<T> mine) {
        lock.lock();
        try {
            queue.addLast(mine);
            boolean first = !writing;
            writing = true;
            if (gathering != null && queue.size() >= expected) {
                LockSupport.unpark(gathering.thread);
                gathering = null;
            }
            return first;
        } finally {
            lock.unlock();
        }
    }

    private void await(Entry<T> mine) {
        boolean interrupted = false;
        while (!mine.done && !mine.isNext) {
            LockSupport.park(mine);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Writes the queued batches as one group, and hands over to the next leader, whatever is thrown. */
    private void writeGroup(Entry<T> mine) {
        List<Entry<T>> group = List.of();
        Throwable failure = null;
        boolean interrupted = Thread.interrupted(); // an interrupt must not break off the write of others
        long startedAt = System.nanoTime();
        try {
            gather(mine);
            group = nextGroup();
            startedAt = System.nanoTime();
            interrupted |= Thread.interrupted(); // while it was gathering
            disk.accept(group.stream().map(entry -> entry.batch).toList());
        } catch (Throwable e) { // even an Error must not leave followers waiting
            failure = e;
        } finally {
            handOver(mine, group, startedAt);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        if (group.isEmpty()) {
            mine.end(failure);
        }
        for (Entry<T> entry : group) {
            entry.end(failure);
        }
    }

    /** Waits a moment for callers of the previous groups to queue up again. */
    private void gather(Entry<T> mine) {
        int before;
        long nanos;
        lock.lock();
        try {
            before = queue.size();
            nanos = before >= expected ? 0 : delay.nanos(System.nanoTime());
            if (nanos <= 0) {
                return;
            }
            gathering = mine;
        } finally {
            lock.unlock();
        }
        boolean interrupted = false;
        long startedAt = System.nanoTime();
        for (long left = nanos; left > 0 && isGathering(); left = startedAt + nanos - System.nanoTime()) {
            LockSupport.parkNanos(mine, left);
            interrupted |= Thread.interrupted();
        }
        lock.lock();
        try {
            gathering = null;
            delay.learn(before, queue.size(), System.nanoTime() - startedAt);
        } finally {
            lock.unlock();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isGathering() {
        lock.lock();
        try {
            return gathering != null;
        } finally {
            lock.unlock();
        }
    }

    private List<Entry<T>> nextGroup() {
        lock.lock();
        try {
            int count = Math.min(queue.size() + deferred.size(), most);
            List<Entry<T>> group = new ArrayList<>(count); // allocated before any entry is taken off the queue
            long size = 0;
            while (!queue.isEmpty() && group.size() < most && (group.isEmpty() || size < MOST_BYTES)) {
                Entry<T> entry = queue.removeFirst();
                size += bytes.applyAsLong(entry.batch);
                group.add(entry);
            }
            while (!deferred.isEmpty() && group.size() < most && size < MOST_BYTES) {
                Entry<T> entry = deferred.removeFirst();
                size += bytes.applyAsLong(entry.batch);
                group.add(entry);
            }
            return group;
        } finally {
            lock.unlock();
        }
    }

    private static <T> int urgent(Collection<Entry<T>> entries) {
        int urgent = 0;
        for (Entry<T> entry : entries) {
            urgent += entry.urgent ? 1 : 0;
        }
        return urgent;
    }

    private void handOver(Entry<T> mine, List<Entry<T>> written, long startedAt) {
        lock.lock();
        try {
            gathering = null;
            if (written.isEmpty()) {
                queue.remove(mine);
            }
            long now = System.nanoTime();
            delay.written(startedAt, now);
            int urgent = urgent(written);
            lastWritten = urgent > 0 ? now : lastWritten;
            expected = urgent + urgent(queue);
            Entry<T> next = queue.peekFirst();
            if (next == null) {
                writing = false;
            } else {
                next.isNext = true;
                LockSupport.unpark(next.thread);
            }
        } finally {
            lock.unlock();
        }
    }
}
