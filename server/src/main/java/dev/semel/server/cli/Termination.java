package dev.semel.server.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Lets a command end orderly when its process is terminated by a signal: the process exits when the command has closed this. */
final class Termination implements AutoCloseable {

    private static final long LONGEST_END_SECONDS = 60;

    private final CountDownLatch requested = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread hook;

    /** @param isFailure whether the exit status is that of the signal; otherwise it is 0 */
    Termination(boolean isFailure) {
        hook = new Thread(
                () -> {
                    requested.countDown();
                    if (awaitEnd() && !isFailure) {
                        Runtime.getRuntime().halt(0);
                    }
                },
                "semel-termination");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    private boolean awaitEnd() {
        try {
            return ended.await(LONGEST_END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            return false;
        }
    }

    boolean isRequested() {
        return requested.getCount() == 0;
    }

    /** Waits for a request, and returns whether there is one. */
    boolean await(long millis) throws InterruptedException {
        return requested.await(millis, TimeUnit.MILLISECONDS);
    }

    /** Ends the process if it is being terminated. */
    @Override
    public void close() {
        ended.countDown();
        if (!isRequested()) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // the process has just begun to end
            }
        }
    }
}
