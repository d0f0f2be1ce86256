package dev.semel.kv;

import dev.semel.json.Json;
import dev.semel.store.StoreException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A key-value store with three operations. None of them is conditional, so two writers of a key overwrite each other.
 *
 * <p>Every store guarantees:
 *
 * <ul>
 *   <li>A write is applied at one moment, between the call and its return. If the call throws, the write is applied then, later or never,
 *       unless the exception {@linkplain StoreException#isCertain() is certain}.
 *   <li>A read returns a value that was current at some moment not longer ago than the <em>staleness</em> of the store, which is zero for a
 *       consistent store.
 *   <li>A value with a TTL is present for at least the TTL from the call on, and absent some time later.
 *   <li>All methods may be called by any number of threads at once.
 * </ul>
 *
 * <p>Keys have 1 to {@value #LONGEST_KEY} visible ASCII characters. A store that cannot be reached throws a {@link StoreException}.
 */
public interface KeyValueStore {

    /** The most characters of a key. */
    int LONGEST_KEY = 512;

    /** Returns the value of a key; empty if there is none or it has expired. */
    Optional<Json> get(String key);

    /**
     * Writes a value, and replaces the value and the TTL that are stored.
     *
     * @param ttl time until the value expires; null if it does not expire
     */
    void put(String key, Json value, @Nullable Duration ttl);

    /** Deletes a value, if there is one. */
    void delete(String key);
}
