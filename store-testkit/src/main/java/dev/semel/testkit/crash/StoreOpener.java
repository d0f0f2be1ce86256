package dev.semel.testkit.crash;

import dev.semel.store.Time;
import dev.semel.store.spi.OnceStore;
import java.nio.file.Path;

/**
 * Opens the store to test. The implementation must be a public class with a public constructor without parameters: each worker process
 * creates an instance by the name of the class.
 */
@FunctionalInterface
public interface StoreOpener {

    /** Opens the store in a folder: a new store, or the one that a killed process has left. */
    OnceStore open(Path folder, Time time);
}
