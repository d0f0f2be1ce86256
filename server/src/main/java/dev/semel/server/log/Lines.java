package dev.semel.server.log;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Writes lines whole and in order. Whoever comes while nobody writes does, and writes for those who come meanwhile; so a line is
 * never late, and many share a write. Who comes when a lot is waiting waits, too.
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
                // there is nobody left to tell
            }
        }
    }

    /** What is waiting; null if nothing is, and then nobody writes any more. */
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
