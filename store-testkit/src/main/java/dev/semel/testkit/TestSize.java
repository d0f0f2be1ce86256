package dev.semel.testkit;

/** The size of tests: small by default, large if the system property {@code semel.test.long} is {@code true}. */
public final class TestSize {

    private static final boolean LONG = Boolean.getBoolean("semel.test.long");

    private TestSize() {}

    /**
     * Returns the size for this run.
     *
     * @param usual size by default
     * @param large size in a long run
     */
    public static int of(int usual, int large) {
        return LONG ? large : usual;
    }
}
