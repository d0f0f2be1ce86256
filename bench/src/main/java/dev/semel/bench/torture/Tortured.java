package dev.semel.bench.torture;

import dev.semel.testkit.crash.CrashSettings;
import java.io.IOException;
import java.nio.file.Path;

/** A store that is tortured, with the server that it needs. */
interface Tortured extends AutoCloseable {

    /** Settings of a round with a new store, in a folder of its own. */
    CrashSettings round(Path folder) throws IOException;

    @Override
    void close();

    /** Starts what a kind of store needs. */
    @FunctionalInterface
    interface Kind {

        /**
         * Starts it.
         *
         * @param folder for what all rounds share
         */
        Tortured begin(Path folder) throws IOException;
    }
}
