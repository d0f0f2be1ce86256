package dev.semel.testkit.crash;

/** Something that a store, or the engine on it, has to hold to and did not; or a worker that did not do what it is there for. */
public final class CrashFailure extends AssertionError {

    private static final long serialVersionUID = 1L;

    CrashFailure(String message) {
        super(message);
    }
}
