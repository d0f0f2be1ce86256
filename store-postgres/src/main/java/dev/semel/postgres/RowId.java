package dev.semel.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.store.DocumentId;
import dev.semel.store.IdempotencyKey;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

/**
 * The id of a row: the first 16 bytes of the SHA-256 of its kind and its key. It is the primary key of an idempotency record, and
 * {@link AdvisoryLocks} takes the number of the row's advisory lock from it.
 */
record RowId(long high, long low) {

    /** The id under which the keys of a user are counted. */
    static RowId ofUser(String user) {
        return of("user\0" + user);
    }

    static RowId of(IdempotencyKey key) {
        return of("once\0" + key.user() + '\0' + key.endpoint() + '\0' + key.key());
    }

    static RowId of(DocumentId id) {
        return of("document\0" + id.collection() + '\0' + id.owner() + '\0' + id.key());
    }

    static RowId of(String parts) {
        ByteBuffer hash = ByteBuffer.wrap(sha256().digest(parts.getBytes(UTF_8)));
        return new RowId(hash.getLong(), hash.getLong());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-256", e);
        }
    }

    UUID uuid() {
        return new UUID(high, low);
    }

    byte[] bytes() {
        return ByteBuffer.allocate(16).putLong(high).putLong(low).array();
    }
}
