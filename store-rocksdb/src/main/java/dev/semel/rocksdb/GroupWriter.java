package dev.semel.rocksdb;

import dev.semel.store.StoreException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lets concurrent callers share a write to disk. Whoever comes first writes; those who come while it does queue up, and one of
 * them then writes for all. A caller alone writes at once, on its own thread.
 *
 * <p>Those who have just been answered tend to come again at once. So whoever writes next waits for them a little, if the
 * disk is so slow that this pays ({@link Patience}): otherwise callers fall into two halves, each of which waits for the other's write.
 */
final class GroupWriter {

    /** The most bytes that are written together, beyond which waiting longer gains nothing. */
    private static final int MOST_BYTES = 1 << 20;

    private final Consumer<List<Batch>> disk;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Entry> queue = new ArrayDeque<>();
    private final Patience patience = new Patience();
    private boolean writing;
    private int expected;
    private @Nullable Entry gathering;

    /** @param disk writes batches together, durably, all or none */
    GroupWriter(Consumer<List<Batch>> disk) {
        this.disk = disk;
    }

    private static final class Entry {
        private final Batch batch;
        private final Thread thread = Thread.currentThread();
        private volatile boolean done;
        private volatile boolean isNext;
        private @Nullable RuntimeException failure;

        Entry(Batch batch) {
            this.batch = batch;
        }
    }

    /** Returns when the batch is on disk. */
    void write(Batch batch) {
        Entry mine = new Entry(batch);
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

    private boolean mayWrite(Entry mine) {
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

    private static void await(Entry mine) {
        boolean interrupted = false;
        while (!mine.done && !mine.isNext) {
            LockSupport.park(mine);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Writes all that has queued up, and hands over to the first of those who have come meanwhile. */
    private void writeGroup(Entry mine) {
        gather(mine);
        List<Entry> group = nextGroup();
        RuntimeException failure = null;
        long begun = System.nanoTime();
        try {
            disk.accept(group.stream().map(entry -> entry.batch).toList());
        } catch (RuntimeException e) {
            failure = e;
        } finally {
            handOver(group.size(), begun);
        }
        for (Entry entry : group) {
            entry.failure = failure;
            entry.done = true;
            LockSupport.unpark(entry.thread);
        }
    }

    /** Waits for those who were there a moment ago, if they are likely to come soon. */
    private void gather(Entry mine) {
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

    private List<Entry> nextGroup() {
        List<Entry> group = new ArrayList<>();
        lock.lock();
        try {
            long bytes = 0;
            while (!queue.isEmpty() && (group.isEmpty() || bytes < MOST_BYTES)) {
                Entry entry = queue.removeFirst();
                bytes += entry.batch.length();
                group.add(entry);
            }
            return group;
        } finally {
            lock.unlock();
        }
    }

    private void handOver(int written, long begun) {
        lock.lock();
        try {
            long now = System.nanoTime();
            patience.written(begun, now);
            expected = written + queue.size();
            Entry next = queue.peekFirst();
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
