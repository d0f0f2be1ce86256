package dev.semel.testkit;

/** The size of a test: small by default, and large where the system property {@code semel.test.long} is {@code true}. */
public final class TestSize {

    private static final boolean LONG = Boolean.getBoolean("semel.test.long");

    private TestSize() {}

    /**
     * How much a test does.
     *
     * @param usual in the default run
     * @param large in the long run
     */
    public static int of(int usual, int large) {
        return LONG ? large : usual;
    }
}
