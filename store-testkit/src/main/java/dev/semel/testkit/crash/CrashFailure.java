package dev.semel.testkit.crash;

/** A crash run has found a violation of the contract, or a worker hung or ended by itself. */
public final class CrashFailure extends AssertionError {

    private static final long serialVersionUID = 1L;

    CrashFailure(String message) {
        super(message);
    }
}
