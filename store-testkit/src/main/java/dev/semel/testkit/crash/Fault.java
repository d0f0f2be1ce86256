package dev.semel.testkit.crash;

import java.io.IOException;
import java.util.SplittableRandom;

/**
 * A fault of the system below the store while workers use it: its server is killed, or a connection is cut. The workers are not
 * notified. They retry and continue.
 */
@FunctionalInterface
public interface Fault {

    /**
     * Injects the fault. Returns when the store is available again, or will be without further action.
     *
     * @param random source of all random choices
     */
    void inject(SplittableRandom random) throws IOException, InterruptedException;
}
