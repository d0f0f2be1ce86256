package dev.semel.bench.torture;

import dev.semel.testkit.crash.CrashSettings;
import java.io.IOException;
import java.nio.file.Path;

/** A kind of store, with all that it stands on while it is tortured. */
interface Tortured extends AutoCloseable {

    /** What to do to a new store, in a folder of its own. */
    CrashSettings round(Path folder) throws IOException;

    @Override
    void close();

    /** Gets what a kind of store stands on. */
    @FunctionalInterface
    interface Kind {

        /**
         * Gets it.
         *
         * @param folder for whatever all rounds have in common
         */
        Tortured begin(Path folder) throws IOException;
    }
}
