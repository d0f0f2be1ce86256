package dev.semel.testkit.crash;

/**
 * The result of a crash run.
 *
 * @param kills number of kills and injected faults
 * @param killsWhileOpening number of those that happened before the store was open
 * @param operations number of acknowledged operations, each counted once
 * @param acknowledgements number of acknowledgements, including repeated ones of the same operation
 * @param checked number of operations whose record and effect match their acknowledgement
 * @param effects number of their effects: documents, and lines of the effect file
 * @param rerun number of leased operations that ran again after their owner was killed
 * @param frozen number of leased operations that are UNKNOWN because their owner was killed
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

    /** The report of a run without kills and operations. */
    public static final CrashReport NOTHING = new CrashReport(0, 0, 0, 0, 0, 0, 0, 0);

    /** Returns the sum of this report and another. */
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
