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
 * Lets concurrent callers of a store share what costs as much for many as for one: a write to disk, or a question to a database.
 * Whoever comes first goes; those who come while it does queue up, and one of them then goes for all. A caller alone goes at
 * once, on its own thread.
 *
 * <p>Those who have just been answered tend to come again at once. So whoever goes next waits for them a little, if the
 * disk is so slow that this pays: otherwise callers fall into two halves, each of which waits for the other's write.
 */
public final class GroupCommit<T> {

    /** The most bytes that are written together, beyond which waiting longer gains nothing. */
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
     * @param disk writes batches together, durably, all or none
     * @param bytes how large a batch is
     * @param most the most batches that are written together
     */
    public GroupCommit(Consumer<List<T>> disk, ToLongFunction<T> bytes, int most) {
        this(disk, bytes, most, SOON_NANOS);
    }

    /** @param soonNanos how long who is in no hurry waits for others; and if none has come for as long, none is expected */
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
     * Returns when the batch is on disk.
     *
     * @throws StoreException if that failed, for this batch and all that were written together with it
     */
    public void write(T batch) {
        Entry<T> mine = new Entry<>(batch, true);
        write(mine);
        mine.throwFailure();
    }

    /**
     * Returns when the batch is on disk, as {@link #write} does, for somebody who is in no hurry: it goes along with what others write if
     * some come soon, and so costs them no write of its own.
     *
     * @return how long it waited for others
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

    /** How many batches of those who are in a hurry are likely to be written together next; none if nobody has come lately. */
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

    /** Writes all that has queued up, and hands over to the first of those who have come meanwhile, whatever happens. */
    private void writeGroup(Entry<T> mine) {
        List<Entry<T>> group = List.of();
        Throwable failure = null;
        boolean interrupted = Thread.interrupted(); // or else what is done for others might break off, too
        long startedAt = System.nanoTime();
        try {
            gather(mine);
            group = nextGroup();
            startedAt = System.nanoTime();
            interrupted |= Thread.interrupted(); // while it was gathering
            disk.accept(group.stream().map(entry -> entry.batch).toList());
        } catch (Throwable e) { // an Error, too, must not leave others waiting
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

    /** Waits for those who were there a moment ago, if they are likely to come soon. */
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
            List<Entry<T>> group = new ArrayList<>(count); // or else it might fail half-way
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
