package dev.semel.testkit.crash;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The workers that are at work at the same time, each told the same. */
final class WorkerGroup implements AutoCloseable {

    private static final int KILLED = 128 + 9;

    private final BlockingQueue<Worker.Said> said = new LinkedBlockingQueue<>();
    private final List<Worker> all = new ArrayList<>();
    private final List<Worker> atWork = new ArrayList<>();
    private final Set<Worker> opening = new HashSet<>();
    private final Set<Worker> open = new HashSet<>();
    private int talking;

    private WorkerGroup() {}

    static WorkerGroup start(CrashWorker.Arguments arguments, int workers) throws IOException {
        WorkerGroup group = new WorkerGroup();
        try {
            for (int i = 1; i <= workers; i++) {
                Worker worker = Worker.start(arguments, "worker-" + i, group.said);
                group.all.add(worker);
                group.atWork.add(worker);
                group.talking++;
            }
            return group;
        } catch (Throwable e) {
            group.close();
            throw e;
        }
    }

    /** Whether all that are at work have startedAt to open the store. */
    boolean isOpening() {
        return opening.containsAll(atWork);
    }

    /** Whether all that are at work have it open. */
    boolean isOpen() {
        return open.containsAll(atWork);
    }

    /** Whether any of them has opened it. */
    boolean hasOpened() {
        return !open.isEmpty();
    }

    /** Whether there is one that was not killed. */
    boolean isAtWork() {
        return !atWork.isEmpty();
    }

    /** Whether this one was not killed. */
    boolean isAtWork(Worker worker) {
        return atWork.contains(worker);
    }

    /** Whether one of them has said something that nobody has heard. */
    boolean hasSaid() {
        return !said.isEmpty();
    }

    /** Whether one of them may still have something to say. */
    boolean isTalking() {
        return talking > 0;
    }

    /**
     * The next that one of them says, its end included.
     *
     * @throws CrashFailure if they hang
     */
    Worker.Said next(Duration atMost) throws InterruptedException {
        Worker.Said next = said.poll(atMost.toNanos(), TimeUnit.NANOSECONDS);
        if (next == null) {
            throw new CrashFailure("The worker has said nothing for " + atMost + complaints());
        }
        if (next.isEnd()) {
            talking--;
        } else if (CrashWorker.OPENING.equals(next.line())) {
            opening.add(next.by());
        } else if (CrashWorker.OPEN.equals(next.line())) {
            open.add(next.by());
        }
        return next;
    }

    private String complaints() {
        StringBuilder complaints = new StringBuilder();
        all.forEach(worker -> complaints.append(worker.complaint()));
        return complaints.toString();
    }

    /** Kills one of those at work. */
    void killOne(SplittableRandom random) {
        atWork.remove(random.nextInt(atWork.size())).kill();
    }

    void killAll() {
        atWork.forEach(Worker::kill);
        atWork.clear();
    }

    /** @throws CrashFailure if one has not come to its end, or to another than it had to: by a kill, unless it was left in peace */
    void checkEnds() throws InterruptedException {
        for (Worker worker : all) {
            int status = worker.exitStatus();
            if (status != (isAtWork(worker) ? 0 : KILLED)) {
                throw new CrashFailure("The worker ended by itself with status " + status + worker.complaint());
            }
        }
    }

    @Override
    public void close() {
        all.forEach(Worker::close);
    }
}
