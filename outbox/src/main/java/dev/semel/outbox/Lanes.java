package dev.semel.outbox;

import dev.semel.outbox.LaneRun.Next;
import dev.semel.store.Time;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The lanes that have something to do: a lane is <em>ready</em>, <em>active</em> or <em>waiting</em> until it is due. Runs a bounded number of
 * lanes at the same time. There is no thread while nothing is ready, and one timer while something waits. Thread-safe.
 */
final class Lanes {

    /** More lanes are not kept in memory, but found again in the store. */
    private static final int MOST_READY = 10_000;

    private static final int MOST_WAITING = 100_000;

    /** A lane that is due later than this is read again then. */
    private static final Duration LONGEST_PAUSE = Duration.ofDays(1);

    private static final Duration UNTIL_THERE_IS_A_THREAD = Duration.ofMillis(100);

    private final int parallel;
    private final Time time;
    private final Function<String, Next> run;
    private final Runnable overflowed;
    private final LinkedHashSet<String> ready = new LinkedHashSet<>(); // guarded by this, as are all below
    private final Map<String, Active> active = new HashMap<>();
    private final Map<String, Due> waiting = new HashMap<>();
    private final NavigableSet<Due> byTime =
            new TreeSet<>(Comparator.comparingLong(Due::nanos).thenComparing(Due::lane));
    private @Nullable CompletableFuture<@Nullable Void> idle;
    private Runnable cancelTimer = () -> {};
    private @Nullable Due timerFor;
    private int searches;
    private boolean stopped;

    private record Due(String lane, long nanos) {}

    /** A lane that is being sent. */
    private static final class Active {
        private boolean again;
        private @Nullable Thread thread;
    }

    /**
     * Creates an empty schedule.
     *
     * @param parallel how many lanes run at the same time
     * @param run runs a lane, and returns what to do with it next
     * @param overflowed called if a lane was dropped, because there are too many
     */
    Lanes(int parallel, Time time, Function<String, Next> run, Runnable overflowed) {
        this.parallel = parallel;
        this.time = time;
        this.run = run;
        this.overflowed = overflowed;
    }

    /** A lane has an entry to send, as far as the caller knows. */
    void offer(String lane) {
        boolean isDropped;
        synchronized (this) {
            isDropped = !add(lane);
            dispatch();
        }
        if (isDropped) {
            overflowed.run();
        }
    }

    private boolean add(String lane) {
        Active running = active.get(lane);
        if (running != null) {
            running.again = true;
            return true;
        }
        if (ready.size() >= MOST_READY) {
            return ready.contains(lane);
        }
        removeWaiting(lane);
        ready.add(lane);
        return true;
    }

    /** A lane has an entry that is due later. */
    void offerLater(String lane, Duration pause) {
        boolean isDropped;
        synchronized (this) {
            isDropped = !addLater(lane, pause);
        }
        if (isDropped) {
            overflowed.run();
        }
    }

    private boolean addLater(String lane, Duration pause) {
        Active running = active.get(lane);
        if (running != null) {
            running.again = true;
            return true;
        }
        if (ready.contains(lane)) {
            return true;
        }
        if (waiting.size() >= MOST_WAITING && !waiting.containsKey(lane)) {
            return false;
        }
        removeWaiting(lane);
        Duration bounded = pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
        Due due = new Due(lane, time.nanoTime() + bounded.toNanos());
        waiting.put(lane, due);
        byTime.add(due);
        setTimer();
        return true;
    }

    private void removeWaiting(String lane) {
        Due due = waiting.remove(lane);
        if (due != null) {
            byTime.remove(due);
        }
    }

    /** Makes all waiting lanes ready. Those that are active run again: they may be about to wait. */
    void offerWaiting() {
        List<String> lanes;
        synchronized (this) {
            lanes = List.copyOf(waiting.keySet());
            active.values().forEach(running -> running.again = true);
        }
        lanes.forEach(this::offer);
    }

    /** Whether there is room for more lanes that are ready. */
    synchronized boolean hasRoom() {
        return ready.size() < MOST_READY / 10;
    }

    /** Whether lanes wait for another one to end. */
    synchronized boolean othersWait() {
        return !ready.isEmpty();
    }

    private void dispatch() {
        while (!stopped && active.size() < parallel && !ready.isEmpty()) {
            String lane = ready.iterator().next();
            ready.remove(lane);
            Active running = new Active();
            active.put(lane, running);
            try {
                Time.threads().execute(() -> work(lane, running));
            } catch (RejectedExecutionException | OutOfMemoryError e) {
                active.remove(lane);
                addLater(lane, UNTIL_THERE_IS_A_THREAD);
                return;
            }
        }
    }

    /** Runs a lane, and then others, as long as there are any. */
    private void work(String firstLane, Active first) {
        String lane = firstLane;
        Active running = first;
        while (true) {
            synchronized (this) {
                if (!stopped) {
                    Thread.interrupted(); // by a listener of the lane before
                }
                running.thread = Thread.currentThread();
            }
            Next next = run.apply(lane);
            boolean isDropped;
            boolean isLast;
            synchronized (this) {
                running.thread = null;
                active.remove(lane);
                isDropped = !finish(lane, running, next);
                isLast = stopped || ready.isEmpty() || active.size() >= parallel;
                if (isLast) {
                    signalIfIdle();
                } else {
                    lane = ready.iterator().next();
                    ready.remove(lane);
                    running = new Active();
                    active.put(lane, running);
                }
            }
            if (isDropped) {
                overflowed.run();
            }
            if (isLast) {
                return;
            }
        }
    }

    /** Returns whether there was room for the lane. */
    private boolean finish(String lane, Active running, Next next) {
        if (running.again || (next.kind() == Next.Kind.RUN && next.pause().isZero())) {
            return ready.add(lane);
        }
        return next.kind() != Next.Kind.RUN || addLater(lane, next.pause());
    }

    private void setTimer() {
        Due first = firstDue();
        if (first == null || stopped || first.equals(timerFor)) {
            return;
        }
        cancelTimer.run();
        timerFor = first;
        cancelTimer = time.after(Duration.ofNanos(Math.max(0, first.nanos() - time.nanoTime())), this::wake);
    }

    private @Nullable Due firstDue() {
        return byTime.isEmpty() ? null : byTime.first();
    }

    private void wake() {
        synchronized (this) {
            timerFor = null;
            long now = time.nanoTime();
            for (Due due = firstDue(); due != null && due.nanos() - now <= 0; due = firstDue()) {
                removeWaiting(due.lane());
                ready.add(due.lane());
            }
            setTimer();
            dispatch();
        }
    }

    /** A search for lanes starts. Until it has ended, there may be lanes that are not known. */
    synchronized void searchStarts() {
        searches++;
    }

    synchronized void searchEnds() {
        searches--;
        signalIfIdle();
    }

    private void signalIfIdle() {
        CompletableFuture<@Nullable Void> waiter = idle;
        if (waiter != null && isIdle()) {
            idle = null;
            waiter.complete(null);
        }
    }

    private boolean isIdle() {
        return active.isEmpty() && (stopped || (searches == 0 && ready.isEmpty() && waiting.isEmpty()));
    }

    /** Returns a future that is complete when no lane has anything to do, or the last one has ended after {@link #stop}. */
    synchronized CompletableFuture<@Nullable Void> whenIdle() {
        if (isIdle()) {
            return CompletableFuture.completedFuture(null);
        }
        if (idle == null) {
            idle = new CompletableFuture<>();
        }
        return idle;
    }

    /** Starts no further lanes. */
    synchronized void stop() {
        stopped = true;
        cancelTimer.run();
        ready.clear();
        waiting.clear();
        byTime.clear();
        signalIfIdle();
    }

    @Override
    public synchronized String toString() {
        return "Lanes[ready " + ready.size() + ", active " + active.size() + ", waiting " + byTime.size() + "]";
    }

    /** Interrupts the lanes that still run. */
    synchronized void interrupt() {
        active.values().forEach(running -> {
            Thread thread = running.thread;
            if (thread != null) {
                thread.interrupt();
            }
        });
    }
}
