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
final class Crew implements AutoCloseable {

    private static final int KILLED = 128 + 9;

    private final BlockingQueue<Life.Said> said = new LinkedBlockingQueue<>();
    private final List<Life> all = new ArrayList<>();
    private final List<Life> atWork = new ArrayList<>();
    private final Set<Life> opening = new HashSet<>();
    private final Set<Life> open = new HashSet<>();
    private int talking;

    private Crew() {}

    static Crew start(CrashWorker.Arguments arguments, int workers) throws IOException {
        Crew crew = new Crew();
        try {
            for (int i = 1; i <= workers; i++) {
                Life life = Life.start(arguments, "worker-" + i, crew.said);
                crew.all.add(life);
                crew.atWork.add(life);
                crew.talking++;
            }
            return crew;
        } catch (Throwable e) {
            crew.close();
            throw e;
        }
    }

    /** Whether all that are at work have begun to open the store. */
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
    boolean isAtWork(Life life) {
        return atWork.contains(life);
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
    Life.Said next(Duration atMost) throws InterruptedException {
        Life.Said next = said.poll(atMost.toNanos(), TimeUnit.NANOSECONDS);
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
        all.forEach(life -> complaints.append(life.complaint()));
        return complaints.toString();
    }

    /** Kills one of those at work. */
    void killOne(SplittableRandom random) {
        atWork.remove(random.nextInt(atWork.size())).kill();
    }

    void killAll() {
        atWork.forEach(Life::kill);
        atWork.clear();
    }

    /** @throws CrashFailure if one has not come to its end, or to another than it had to: by a kill, unless it was left in peace */
    void checkEnds() throws InterruptedException {
        for (Life life : all) {
            int status = life.exitStatus();
            if (status != (isAtWork(life) ? 0 : KILLED)) {
                throw new CrashFailure("The worker ended by itself with status " + status + life.complaint());
            }
        }
    }

    @Override
    public void close() {
        all.forEach(Life::close);
    }
}
