package dev.semel.store.internal;

/**
 * Throws a {@link StackOverflowError} early. Called before work that must not stop halfway, such as a round trip on a connection: in a deep
 * recursion the error is thrown here, where nothing has been done yet.
 */
public final class StackReserve {

    /** Enough to release locks. */
    static final int SMALL = 100;

    /** Enough for a round trip. */
    public static final int MEDIUM = 500;

    /** Enough for a leader, whose error would fail the batches of others. */
    static final int LARGE = 800;

    private StackReserve() {}

    /**
     * Checks that there is room on the stack for some calls.
     *
     * @param frames the number of frames, which are small
     * @throws StackOverflowError if there is no room
     */
    public static void check(int frames) {
        descend(frames);
    }

    private static int descend(int frames) {
        return frames == 0 ? 0 : 1 + descend(frames - 1);
    }
}
