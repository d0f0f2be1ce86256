package dev.semel.store;

import java.time.InstantSource;
import java.util.List;
import java.util.Set;

/**
 * Where everything is kept: two kinds of rows, and five verbs.
 *
 * <p>A <em>once-record</em> says what became of an operation; a <em>document</em> is data under a key. {@link #find} and
 * {@link #read} look one up, {@link #scan} reads documents in the order of their keys, and {@link #commit} is the only way to
 * change anything: preconditions and writes, all or nothing. {@link #watch} tells when to look again. What these mean together —
 * when an operation starts, who may complete it, what a retry is told — is decided above, once for all stores.
 *
 * <p>For every store:
 *
 * <ul>
 *   <li>commits happen one after another, as if there were a single line of them; who sees one write of a commit sees all of
 *       them from then on;
 *   <li>what a commit has acknowledged stays, as long as the store promises to keep anything;
 *   <li>a commit with an {@linkplain Commit#attempt() attempt id} that has been applied before is not applied again but answered
 *       as it was then: an answer that was lost on the way is had by asking again;
 *   <li>a key that is past its time counts as absent for documents; a once-record past its time is still shown, and it is up to
 *       the caller what to make of it;
 *   <li>times are taken from the store's {@link #clock()}, never from the caller, so that callers whose clocks disagree agree
 *       on whose lease is over;
 *   <li>any number of threads may call at once.
 * </ul>
 *
 * <p>A store that cannot be reached throws {@link StoreException}; a verb that it has not, according to
 * {@link #capabilities()}, {@link UnsupportedOperationException}.
 */
public interface Store extends DocumentReader, AutoCloseable {

    /** What this store can do. */
    Set<Capability> capabilities();

    /** The time by which leases end and rows expire. A shared store's clock may be an estimate of the database's. */
    InstantSource clock();

    /**
     * Looks up what is known of a key, and whether its user may begin a new one.
     *
     * @param quota how many new keys a user may begin
     */
    Sighting find(OnceKey key, Quota quota);

    /** Checks all preconditions and, if they hold, writes everything; or changes nothing and says which did not hold. */
    CommitResult commit(Commit commit);

    /** Documents in the order of their keys, as they are at one moment. */
    List<Document> scan(Scan scan);

    /**
     * Tells when there may be something new for who reads {@linkplain FurtherKey#placed in the order of commits}: after each commit
     * that gave a place, whoever made it, and now and then without a reason. Whoever scans then sees that commit. What was told
     * while the store was out of reach is not told again, so who must miss nothing looks from time to time all the same.
     *
     * @param task called by any thread, several of them perhaps; has to return at once and must not throw
     * @return what ends it
     */
    Runnable watch(Runnable task);

    /** What those who run it do with it. */
    default Housekeeping housekeeping() {
        throw new UnsupportedOperationException("This store is not one to be looked into or swept");
    }

    /** Lets go of what the store holds. Whatever was acknowledged stays, where the store keeps things at all. */
    @Override
    void close();
}
