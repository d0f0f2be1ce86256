package dev.semel.store;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What those who run a store do with it: look at keys, let go of what is past its time, erase a user. It is apart from {@link Store},
 * since no call needs it; it is never in a call's way.
 */
public interface Housekeeping {

    /** How logs call answers of keys that are past their time, and what owners have left who vanished. */
    String KEYS = "idempotency_keys";

    /** How logs call keys that are forgotten. */
    String TOMBSTONES = "tombstones";

    /** How logs call documents. */
    String DOCUMENTS = "documents";

    /** How logs call what tells that a commit was applied. */
    String RECEIPTS = "receipts";

    /** As what a record counts that is removed. */
    static String tableOf(OnceRecord removed) {
        return removed.status() == OnceStatus.PROCESSING ? KEYS : TOMBSTONES;
    }

    /**
     * Keys that a query asks for, ordered by user and then in a way of the store's own that does not change. A page may hold fewer than
     * asked for, or none, although there is a next one: no page looks at more than some thousand rows.
     */
    KeyPage list(KeyQuery query);

    /**
     * Lets go of some of what is past its time, so little that nobody waits for it. The answer of a key that is past its time goes first,
     * and what is left of it when it is {@linkplain OnceRecord#forgottenAt() forgotten}; what an owner has left who vanished, and must not
     * be run again, becomes unknown; documents go when they expire. What is living is never touched, whoever writes it meanwhile; any
     * number of servers may do this at once, and begin anywhere.
     *
     * @param from where the step before ended, or empty to begin
     */
    SweepStep sweep(String from);

    /** Notes what was let go. */
    void log(List<Cleanup> cleanups);

    /**
     * What was noted, the latest first; of the same time, by table.
     *
     * @param after the last that is known already; null to begin with the latest
     */
    List<Cleanup> cleanups(@Nullable Cleanup after, int limit);

    /** What was noted last, the latest first. */
    default List<Cleanup> cleanups(int limit) {
        return cleanups(null, limit);
    }

    /**
     * Erases all keys of a user, with their answers and tombstones. A store that has its own files leaves no byte of them there; a
     * database keeps what was deleted until it takes its space back. Operations of theirs that are under way go on, and what they
     * record is refused, or a new key.
     *
     * @param withDocuments whether their own documents go as well
     * @return how many rows were erased, by what they were
     */
    Map<String, Long> erase(String user, boolean withDocuments);
}
