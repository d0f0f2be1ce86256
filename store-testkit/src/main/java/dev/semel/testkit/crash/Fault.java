package dev.semel.testkit.crash;

import java.io.IOException;
import java.util.SplittableRandom;

/**
 * Something that befalls what a store stands on while workers use it: its server is killed, or a connection is cut. The workers are
 * not told. They ask again, and go on.
 */
@FunctionalInterface
public interface Fault {

    /**
     * Strikes, and returns when the store can be reached again, or will be without anybody's help.
     *
     * @param random for what is left to chance
     */
    void inject(SplittableRandom random) throws IOException, InterruptedException;
}
