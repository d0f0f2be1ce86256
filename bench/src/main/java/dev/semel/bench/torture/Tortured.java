package dev.semel.bench.torture;

import dev.semel.testkit.crash.CrashSettings;
import java.io.IOException;
import java.nio.file.Path;

/** A kind of store to torture, with the server that it needs. */
interface Tortured extends AutoCloseable {

    /** Returns the settings of a round, with a new store in the folder. */
    CrashSettings round(Path folder) throws IOException;

    @Override
    void close();

    /** Prepares a kind of store. */
    @FunctionalInterface
    interface Kind {

        /**
         * Starts the server that the store needs.
         *
         * @param folder folder for data of all rounds
         */
        Tortured begin(Path folder) throws IOException;
    }
}
