package dev.semel.server.log;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Writes lines from many threads without interleaving them. A thread that finds no other writing writes, including the lines that others
 * add meanwhile. So lines are written at once, and concurrent ones share a write. If more than a mebibyte is queued, callers wait.
 */
final class Lines {

    private static final int MUCH = 1 << 20;

    private final OutputStream out;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition written = lock.newCondition();
    private ByteArrayOutputStream waiting = new ByteArrayOutputStream();
    private boolean isWriting;

    Lines(OutputStream out) {
        this.out = out;
    }

    void write(byte[] line) {
        lock.lock();
        try {
            while (isWriting && waiting.size() > MUCH) {
                written.awaitUninterruptibly();
            }
            waiting.writeBytes(line);
            if (isWriting) {
                return;
            }
            isWriting = true;
        } finally {
            lock.unlock();
        }
        for (ByteArrayOutputStream batch = take(); batch != null; batch = take()) {
            try {
                batch.writeTo(out);
                out.flush();
            } catch (IOException e) {
                // there is nowhere to report that the log cannot be written
            }
        }
    }

    /** Returns the queued lines. If there are none, returns null, and the calling thread stops writing. */
    private @Nullable ByteArrayOutputStream take() {
        lock.lock();
        try {
            written.signalAll();
            if (waiting.size() == 0) {
                isWriting = false;
                return null;
            }
            ByteArrayOutputStream batch = waiting;
            waiting = new ByteArrayOutputStream();
            return batch;
        } finally {
            lock.unlock();
        }
    }
}
