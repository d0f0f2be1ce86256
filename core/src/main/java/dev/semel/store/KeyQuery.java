package dev.semel.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which keys to list. What is null does not matter.
 *
 * @param user whose they are
 * @param endpoint of which operation
 * @param state how they stand
 * @param prefix what they begin with
 * @param clientTxId what the client called the transaction
 * @param createdBefore the moment before which they were first seen
 * @param after the {@linkplain KeyPage#next() place} from which to go on
 * @param limit the most to return
 */
public record KeyQuery(
        @Nullable String user,
        @Nullable String endpoint,
        @Nullable KeyState state,
        @Nullable String prefix,
        @Nullable String clientTxId,
        @Nullable Instant createdBefore,
        @Nullable String after,
        int limit) {

    /** @throws IllegalArgumentException if the limit is below 1 */
    public KeyQuery {
        if (limit < 1) {
            throw new IllegalArgumentException("A list of " + limit + " keys");
        }
        prefix = prefix != null && prefix.isEmpty() ? null : prefix;
    }

    /** All keys, from the first. */
    public static KeyQuery all(int limit) {
        return new KeyQuery(null, null, null, null, null, null, null, limit);
    }

    public KeyQuery ofUser(@Nullable String user) {
        return new KeyQuery(user, endpoint, state, prefix, clientTxId, createdBefore, after, limit);
    }

    public KeyQuery ofEndpoint(@Nullable String endpoint) {
        return new KeyQuery(user, endpoint, state, prefix, clientTxId, createdBefore, after, limit);
    }

    public KeyQuery in(@Nullable KeyState state) {
        return new KeyQuery(user, endpoint, state, prefix, clientTxId, createdBefore, after, limit);
    }

    public KeyQuery beginningWith(@Nullable String prefix) {
        return new KeyQuery(user, endpoint, state, prefix, clientTxId, createdBefore, after, limit);
    }

    public KeyQuery ofClientTx(@Nullable String clientTxId) {
        return new KeyQuery(user, endpoint, state, prefix, clientTxId, createdBefore, after, limit);
    }

    public KeyQuery createdBefore(@Nullable Instant createdBefore) {
        return new KeyQuery(user, endpoint, state, prefix, clientTxId, createdBefore, after, limit);
    }

    public KeyQuery after(@Nullable String after) {
        return new KeyQuery(user, endpoint, state, prefix, clientTxId, createdBefore, after, limit);
    }

    /** Whether it asks for keys of which there are few, since most are completed and stay so until they expire. */
    public boolean asksForOpen() {
        return state == KeyState.PROCESSING || state == KeyState.FAILED || state == KeyState.UNKNOWN;
    }

    /** Whether it asks for a record. */
    public boolean matches(OnceRecord record, Instant now) {
        return (user == null || user.equals(record.key().user()))
                && (endpoint == null || endpoint.equals(record.key().endpoint()))
                && (state == null || state == record.stateAt(now))
                && (prefix == null || record.key().key().startsWith(prefix))
                && (clientTxId == null || clientTxId.equals(record.clientTxId()))
                && (createdBefore == null || record.createdAt().isBefore(createdBefore));
    }
}
