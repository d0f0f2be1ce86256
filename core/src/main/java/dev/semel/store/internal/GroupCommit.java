package dev.semel.store.internal;

import dev.semel.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
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
 * does not wait. Callers that arrive during the write queue up and park. When the leader has written, it hands over to the first caller in
 * the queue. This one becomes the leader and writes one group for all of them, up to a number of batches and {@value #MOST_BYTES} bytes.
 * Then it unparks its followers. A caller returns only after the write that contains its batch has returned, so what is acknowledged is as
 * durable as the write.
 *
 * <h2>Gathering</h2>
 *
 * <p>Callers that were just unparked often return at once with their next batch. A leader that wrote immediately would miss them,
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
 * <p>If a write throws, it is unknown which of its batches were stored. Every caller of the group gets a {@link StoreException} that is not
 * {@linkplain StoreException#isCertain() certain}, and resolves it by its commit id. The leader clears its interrupt flag while it writes
 * for others, and restores it afterwards.
 *
 * <p>An {@link Error} may be thrown at any line, such as a {@link StackOverflowError} by a caller that is deep in a recursion. Neither the
 * role of the leader nor a batch may be lost then:
 *
 * <ul>
 *   <li>A caller checks its stack before it queues up, so the stack can overflow only in the write itself.
 *   <li>State changes are assignments of fields in synchronized blocks, in an order that loses neither a batch nor the role if a call
 *       between them fails.
 *   <li>A caller that leaves marks its entry in a finally block that calls no method. Waiting callers look every
 *       {@value #CHECK_MILLIS} milliseconds whether the leader has left, and one of them takes over the role.
 *   <li>The result of a group is a field of the group, so callers that were not unparked find it, too.
 *   <li>A caller that leaves with an Error withdraws its batch. If a leader is writing the batch, the caller waits until that write has
 *       ended, because it may hold locks that protect the batch.
 * </ul>
 */
public final class GroupCommit<T> {

    /** A group is not extended beyond this many bytes: the write itself then takes longer than the sync. */
    private static final int MOST_BYTES = 1 << 20;

    private static final long SOON_NANOS = 10_000_000;

    private static final long CHECK_MILLIS = 50;

    private final Consumer<List<T>> disk;
    private final ToLongFunction<T> bytes;
    private final int most;
    private final long soonNanos;

    /** A monitor, because leaving a synchronized block cannot fail, unlike the call that releases a lock. */
    private final Object lock = new Object();

    private final Queue<T> queue = new Queue<>();
    private final Queue<T> deferred = new Queue<>();
    private final BatchDelay delay = new BatchDelay();
    private volatile @Nullable Entry<T> leader;
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

    /** Batches that are written together, and the result of the write. */
    private static final class Group<T> {
        private final List<Entry<T>> entries = new ArrayList<>();
        private @Nullable Throwable failure;
        private volatile boolean done;
    }

    /** A batch and its caller. */
    private static final class Entry<T> {
        private final T batch;
        private final long bytes;
        private final boolean urgent;
        private final Thread thread = Thread.currentThread();
        private @Nullable Entry<T> next;
        private boolean withdrawn;
        private volatile @Nullable Group<T> group;
        private volatile boolean left;

        Entry(T batch, long bytes, boolean urgent) {
            this.batch = batch;
            this.bytes = bytes;
            this.urgent = urgent;
        }

        boolean isDone() {
            Group<T> taken = group;
            return taken != null && taken.done;
        }

        boolean isWaiting() {
            return group == null && !withdrawn;
        }
    }

    /** A linked list. Entries that do not wait any more may still be in it. */
    private static final class Queue<T> {
        private @Nullable Entry<T> head;
        private @Nullable Entry<T> tail;
        private int size;

        void add(Entry<T> entry) {
            Entry<T> last = tail;
            tail = entry;
            size++;
            if (last == null) {
                head = entry;
            } else {
                last.next = entry;
            }
        }

        /** Returns the first entry that waits, and removes those before it. */
        @Nullable Entry<T> first() {
            Entry<T> first = head;
            while (first != null && !first.isWaiting()) {
                Entry<T> removed = first;
                first = removed.next;
                removed.next = null;
                head = first;
                size--;
            }
            tail = first == null ? null : tail;
            return first;
        }

        int urgent() {
            int urgent = 0;
            for (Entry<T> entry = first(); entry != null; entry = entry.next) {
                urgent += entry.urgent && entry.isWaiting() ? 1 : 0;
            }
            return urgent;
        }
    }

    /**
     * Writes a batch, and returns when it is durable.
     *
     * @throws StoreException if the write failed, for this batch and all others of its group
     */
    public void write(T batch) {
        StackReserve.check(StackReserve.LARGE);
        write(new Entry<>(batch, bytes.applyAsLong(batch), true));
    }

    /**
     * Writes a batch that is not urgent, and returns when it is durable. The batch joins the group of other callers if some come soon.
     *
     * @return how long it waited for a group
     * @throws StoreException as {@link #write} does
     */
    public Duration writeDeferred(T batch) {
        StackReserve.check(StackReserve.LARGE);
        long size = bytes.applyAsLong(batch);
        Entry<T> mine = new Entry<>(batch, size, false);
        long startedAt = System.nanoTime();
        long waited = 0;
        if (expected() > 0) {
            boolean written = joinsOthers(mine);
            waited = System.nanoTime() - startedAt;
            if (written) {
                return Duration.ofNanos(waited);
            }
        }
        write(new Entry<>(batch, size, false));
        return Duration.ofNanos(waited);
    }

    /** Returns how many urgent batches are likely to be written together next; 0 if none were written lately. */
    public int expected() {
        synchronized (lock) {
            boolean someAreExpected = isLed() || System.nanoTime() - lastWritten < soonNanos;
            return someAreExpected ? Math.max(1, expected) : 0;
        }
    }

    /** Waits for a group; returns whether one has written the batch. */
    private boolean joinsOthers(Entry<T> mine) {
        try {
            synchronized (lock) {
                deferred.add(mine);
            }
            awaitGroup(mine);
            synchronized (lock) {
                mine.withdrawn = mine.group == null;
            }
            if (!mine.withdrawn) {
                await(mine);
            }
        } finally { // without calls, as the class comment explains
            synchronized (lock) {
                mine.withdrawn = mine.group == null;
            }
            Group<T> group = mine.group;
            while (group != null && !group.done) {
                // spins, because parking is a call
            }
        }
        throwFailure(mine);
        return !mine.withdrawn;
    }

    private void awaitGroup(Entry<T> mine) {
        boolean interrupted = false;
        long startedAt = System.nanoTime();
        for (long left = soonNanos; left > 0 && !mine.isDone(); left = startedAt + soonNanos - System.nanoTime()) {
            LockSupport.parkNanos(mine, left);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(Entry<T> mine) {
        try {
            enter(mine);
            await(mine);
            if (!mine.isDone()) {
                lead(mine);
            }
        } finally { // without calls, as the class comment explains
            synchronized (lock) {
                mine.withdrawn = mine.group == null;
            }
            Group<T> group = mine.group;
            while (group != null && !group.done) {
                // spins, because parking is a call
            }
            mine.left = true;
        }
        throwFailure(mine);
    }

    private void throwFailure(Entry<T> mine) {
        Group<T> group = mine.group;
        Throwable failure = group == null ? null : group.failure;
        if (failure != null) {
            throw StoreException.unavailable(String.valueOf(failure.getMessage()), failure);
        }
    }

    /** Whether there is a leader that has not left. */
    private boolean isLed() {
        Entry<T> current = leader;
        return current != null && !current.left;
    }

    private void enter(Entry<T> mine) {
        synchronized (lock) {
            queue.add(mine);
            if (!isLed()) {
                leader = mine;
            }
            Entry<T> waiting = gathering;
            if (waiting != null && queue.size >= expected) {
                gathering = null;
                LockSupport.unpark(waiting.thread);
            }
        }
    }

    /** Waits until the batch was written, or until its caller is the leader. */
    private void await(Entry<T> mine) {
        boolean interrupted = false;
        while (leader != mine && !mine.isDone()) {
            LockSupport.parkNanos(mine, CHECK_MILLIS * 1_000_000);
            interrupted |= Thread.interrupted();
            if (!isLed()) {
                takeOver(mine);
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Becomes the leader if there is none. */
    private void takeOver(Entry<T> mine) {
        synchronized (lock) {
            if (!isLed() && mine.group == null) {
                leader = mine;
            }
        }
    }

    /** Writes the queued batches as one group, and hands over to the next leader, whatever is thrown. */
    private void lead(Entry<T> mine) {
        Group<T> group = new Group<>();
        boolean interrupted = false;
        long startedAt = System.nanoTime();
        try {
            try {
                interrupted = Thread.interrupted(); // an interrupt must not break off the write of others
                gather(mine);
                List<T> batches = take(mine, group);
                startedAt = System.nanoTime();
                interrupted |= Thread.interrupted(); // while it was gathering
                disk.accept(batches);
            } catch (Throwable e) { // even an Error must not leave followers waiting
                group.failure = e;
                mine.group = group;
            }
            handOver(group, startedAt);
        } finally {
            group.done = true;
        }
        for (Entry<T> entry : group.entries) {
            LockSupport.unpark(entry.thread);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits a moment for callers of the previous groups to queue up again. */
    private void gather(Entry<T> mine) {
        int before;
        long nanos;
        synchronized (lock) {
            before = queue.size;
            nanos = before >= expected ? 0 : delay.nanos(System.nanoTime());
            if (nanos <= 0) {
                return;
            }
            gathering = mine;
        }
        boolean interrupted = false;
        long startedAt = System.nanoTime();
        for (long left = nanos; left > 0 && isGathering(); left = startedAt + nanos - System.nanoTime()) {
            LockSupport.parkNanos(mine, left);
            interrupted |= Thread.interrupted();
        }
        synchronized (lock) {
            gathering = null;
            delay.learn(before, queue.size, System.nanoTime() - startedAt);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isGathering() {
        synchronized (lock) {
            return gathering != null;
        }
    }

    /** Takes the leader's batch, and others up to the limits of a group. */
    private List<T> take(Entry<T> mine, Group<T> group) {
        List<T> batches = new ArrayList<>();
        synchronized (lock) {
            long size = take(mine, group, batches);
            for (Queue<T> from : List.of(queue, deferred)) {
                Entry<T> entry = from.first();
                while (entry != null && batches.size() < most && size < MOST_BYTES) {
                    size += take(entry, group, batches);
                    entry = from.first();
                }
            }
        }
        return batches;
    }

    private static <T> long take(Entry<T> entry, Group<T> group, List<T> batches) {
        group.entries.add(entry);
        batches.add(entry.batch);
        entry.group = group;
        return entry.bytes;
    }

    private void handOver(Group<T> written, long startedAt) {
        synchronized (lock) {
            gathering = null;
            long now = System.nanoTime();
            delay.written(startedAt, now);
            int urgent = 0;
            for (Entry<T> entry : written.entries) {
                urgent += entry.urgent ? 1 : 0;
            }
            lastWritten = urgent > 0 ? now : lastWritten;
            expected = urgent + queue.urgent();
            Entry<T> next = queue.first();
            leader = next;
            if (next != null) {
                LockSupport.unpark(next.thread);
            }
        }
    }
}
