package dev.semel.testkit.crash;

/**
 * What a crash run has come to.
 *
 * @param kills how often the worker was killed
 * @param killsWhileOpening how many of these came before the store was open
 * @param operations how many operations were acknowledged, each counted once
 * @param acknowledgements how many acknowledgements there were, those of the same operation included
 * @param checked how many operations were looked up at the end, and found as acknowledged
 * @param effects how many effects these have: documents, and lines of the file
 * @param rerun how many leased operations were run again after their owner had been killed
 * @param frozen how many leased operations stay unknown because their owner was killed
 */
public record CrashReport(
        int kills,
        int killsWhileOpening,
        long operations,
        long acknowledgements,
        long checked,
        long effects,
        long rerun,
        long frozen) {

    /** Before anything was done. */
    public static final CrashReport NOTHING = new CrashReport(0, 0, 0, 0, 0, 0, 0, 0);

    /** This and another, together. */
    public CrashReport plus(CrashReport other) {
        return new CrashReport(
                kills + other.kills,
                killsWhileOpening + other.killsWhileOpening,
                operations + other.operations,
                acknowledgements + other.acknowledgements,
                checked + other.checked,
                effects + other.effects,
                rerun + other.rerun,
                frozen + other.frozen);
    }
}
