package dev.semel.store;

import java.util.ArrayDeque;
import java.util.ArrayList;
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
public final class GroupWriter<T> {

    /** The most bytes that are written together, beyond which waiting longer gains nothing. */
    private static final int MOST_BYTES = 1 << 20;

    private final Consumer<List<T>> disk;
    private final ToLongFunction<T> bytes;
    private final int most;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Entry<T>> queue = new ArrayDeque<>();
    private final Patience patience = new Patience();
    private boolean writing;
    private int expected;
    private @Nullable Entry<T> gathering;

    /**
     * @param disk writes batches together, durably, all or none
     * @param bytes how large a batch is
     * @param most the most batches that are written together
     */
    public GroupWriter(Consumer<List<T>> disk, ToLongFunction<T> bytes, int most) {
        this.disk = disk;
        this.bytes = bytes;
        this.most = most;
    }

    private static final class Entry<T> {
        private final T batch;
        private final Thread thread = Thread.currentThread();
        private volatile boolean done;
        private volatile boolean isNext;
        private @Nullable Throwable failure;

        Entry(T batch) {
            this.batch = batch;
        }

        void end(@Nullable Throwable failure) {
            this.failure = failure;
            this.done = true;
            LockSupport.unpark(thread);
        }
    }

    /**
     * Returns when the batch is on disk.
     *
     * @throws StoreException if that failed, for this batch and all that were written together with it
     */
    public void write(T batch) {
        Entry<T> mine = new Entry<>(batch);
        if (!mayWrite(mine)) {
            await(mine);
        }
        if (!mine.done) {
            writeGroup(mine);
        }
        if (mine.failure != null) {
            throw StoreException.unavailable(String.valueOf(mine.failure.getMessage()), mine.failure);
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
        long begun = System.nanoTime();
        try {
            gather(mine);
            group = nextGroup();
            begun = System.nanoTime();
            disk.accept(group.stream().map(entry -> entry.batch).toList());
        } catch (Throwable e) { // an Error, too, must not leave others waiting
            failure = e;
        } finally {
            handOver(mine, group.size(), begun);
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
            nanos = before >= expected ? 0 : patience.nanos(System.nanoTime());
            if (nanos <= 0) {
                return;
            }
            gathering = mine;
        } finally {
            lock.unlock();
        }
        boolean interrupted = false;
        long begun = System.nanoTime();
        for (long left = nanos; left > 0 && isGathering(); left = begun + nanos - System.nanoTime()) {
            LockSupport.parkNanos(mine, left);
            interrupted |= Thread.interrupted();
        }
        lock.lock();
        try {
            gathering = null;
            patience.learn(before, queue.size(), System.nanoTime() - begun);
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
            List<Entry<T>> group = new ArrayList<>(Math.min(queue.size(), most)); // or else it might fail half-way
            long size = 0;
            while (!queue.isEmpty() && group.size() < most && (group.isEmpty() || size < MOST_BYTES)) {
                Entry<T> entry = queue.removeFirst();
                size += bytes.applyAsLong(entry.batch);
                group.add(entry);
            }
            return group;
        } finally {
            lock.unlock();
        }
    }

    private void handOver(Entry<T> mine, int written, long begun) {
        lock.lock();
        try {
            gathering = null;
            if (written == 0) {
                queue.remove(mine);
            }
            long now = System.nanoTime();
            patience.written(begun, now);
            expected = written + queue.size();
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
