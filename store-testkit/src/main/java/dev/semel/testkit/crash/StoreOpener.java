package dev.semel.testkit.crash;

import dev.semel.store.Store;
import dev.semel.store.Time;
import java.nio.file.Path;

/**
 * Opens the store that is put to the test. A public class with a public constructor without parameters: the process that is killed
 * makes its own, by the name of the class.
 */
@FunctionalInterface
public interface StoreOpener {

    /** Opens the store in a folder: a new one, or the one that was there when the process before was killed. */
    Store open(Path folder, Time time);
}
