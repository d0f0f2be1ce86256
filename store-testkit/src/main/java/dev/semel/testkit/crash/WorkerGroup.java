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

/** Workers that run at the same time with the same arguments. */
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

    /** Returns whether all running workers have started to open the store. */
    boolean isOpening() {
        return opening.containsAll(atWork);
    }

    /** Returns whether all running workers have opened the store. */
    boolean isOpen() {
        return open.containsAll(atWork);
    }

    /** Returns whether any worker has opened the store. */
    boolean hasOpened() {
        return !open.isEmpty();
    }

    /** Returns whether any worker has not been killed. */
    boolean isAtWork() {
        return !atWork.isEmpty();
    }

    /** Returns whether a worker has not been killed. */
    boolean isAtWork(Worker worker) {
        return atWork.contains(worker);
    }

    /** Returns whether there is unread output. */
    boolean hasSaid() {
        return !said.isEmpty();
    }

    /** Returns whether there may be more output. */
    boolean isTalking() {
        return talking > 0;
    }

    /**
     * Waits for the next line of output, or for the end of the output of a worker.
     *
     * @throws CrashFailure if there is no output in time
     */
    Worker.Said next(Duration atMost) throws InterruptedException {
        Worker.Said next = said.poll(atMost.toNanos(), TimeUnit.NANOSECONDS);
        if (next == null) {
            throw new CrashFailure("No output from the workers for " + atMost + complaints());
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

    /** Kills a random running worker. */
    void killOne(SplittableRandom random) {
        atWork.remove(random.nextInt(atWork.size())).kill();
    }

    void killAll() {
        atWork.forEach(Worker::kill);
        atWork.clear();
    }

    /** @throws CrashFailure if a worker has not ended as expected: by the kill if it was killed, by itself otherwise */
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
