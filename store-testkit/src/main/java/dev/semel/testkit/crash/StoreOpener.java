package dev.semel.testkit.crash;

import dev.semel.store.Time;
import dev.semel.store.spi.OnceStore;
import java.nio.file.Path;

/**
 * Opens the store that is tested. A public class with a public constructor without parameters: the process that is killed
 * makes its own, by the name of the class.
 */
@FunctionalInterface
public interface StoreOpener {

    /** Opens the store in a folder: a new one, or the one that was there when the process before was killed. */
    OnceStore open(Path folder, Time time);
}
