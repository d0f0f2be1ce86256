package dev.semel.rocksdb;

import dev.semel.json.Fingerprint;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Encodes and decodes idempotency records as rows, and the rows by which operators find them. */
final class RecordRows {

    private static final int HAS_RESPONSE = 1;
    private static final int HAS_OUTCOME = 2;
    private static final int HAS_CAUSE = 4;

    private static final int REFUSAL = 1;
    private static final int NOT_KEPT = 2;
    private static final int HEADERS_AS_CHARS = 4;

    private RecordRows() {}

    /** Returns the row of a key. It starts with the user, so all records of a user are adjacent. */
    static byte[] key(IdempotencyKey key) {
        return Rows.join(key.user(), key.endpoint(), key.key());
    }

    /** Returns the prefix of a user's keys of one endpoint that start with a text. */
    static byte[] prefix(String user, String endpoint, String keyPrefix) {
        return Rows.join(user, endpoint, keyPrefix);
    }

    /** Returns the prefix of a user's keys. */
    static byte[] prefix(String user) {
        return Rows.join(user, "");
    }

    /** Returns the idempotency key of a row. */
    static IdempotencyKey keyOf(byte[] row) {
        String[] parts = Rows.split(row);
        return new IdempotencyKey(parts[0], parts[1], parts[2]);
    }

    /** Returns the row by which a record is found by its client transaction id. */
    static byte[] clientTxKey(IdempotencyKey key, String clientTxId) {
        return Rows.join(key.user(), clientTxId, key.endpoint(), key.key());
    }

    /** Returns the prefix of a user's rows with a client transaction id. */
    static byte[] clientTxPrefix(String user, String clientTxId) {
        return Rows.join(user, clientTxId, "");
    }

    /** Returns the row of the record that a {@link #clientTxKey} refers to. */
    static byte[] recordKey(byte[] clientTxKey) {
        String[] parts = Rows.split(clientTxKey);
        return Rows.join(parts[0], parts[2], parts[3]);
    }

    static byte[] value(IdempotencyRecord record) {
        Response response = record.response();
        Integer outcome = response == null ? record.outcome() : null; // a response has it
        String cause = record.cause();
        ByteWriter out = new ByteWriter(160);
        out.addByte(Rows.LAYOUT)
                .addByte(code(record.status()))
                .addByte(code(record.ifAbandoned()))
                .addVarint(record.fencingToken())
                .addVarint(record.attempts())
                .addText(record.commitId())
                .addText(record.clientTxId())
                .addBytes(record.fingerprint().bytes())
                .addInstant(record.createdAt())
                .addOptionalInstant(record.deadline())
                .addOptionalInstant(record.purgeAt())
                .addByte((response == null ? 0 : HAS_RESPONSE)
                        | (outcome == null ? 0 : HAS_OUTCOME)
                        | (cause == null ? 0 : HAS_CAUSE));
        if (outcome != null) {
            out.addVarint(outcome);
        }
        if (cause != null) {
            out.addText(cause);
        }
        if (response != null) {
            boolean asChars = hasLoneSurrogate(response.headers());
            out.addByte((response.isRefusal() ? REFUSAL : 0)
                            | (response.isKept() ? 0 : NOT_KEPT)
                            | (asChars ? HEADERS_AS_CHARS : 0))
                    .addVarint(response.status())
                    .addVarint(response.headers().size());
            if (asChars) {
                response.headers().forEach((name, value) -> out.addChars(name).addChars(value));
            } else {
                response.headers().forEach((name, value) -> out.addText(name).addText(value));
            }
            out.addBlock(response.body());
        }
        return out.toBytes();
    }

    private static boolean hasLoneSurrogate(Map<String, String> headers) {
        for (Map.Entry<String, String> header : headers.entrySet()) {
            if (hasLoneSurrogate(header.getKey()) || hasLoneSurrogate(header.getValue())) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasLoneSurrogate(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                int codePoint = text.codePointAt(i);
                if (!Character.isSupplementaryCodePoint(codePoint)) {
                    return true;
                }
                i++;
            }
        }
        return false;
    }

    static IdempotencyRecord record(IdempotencyKey key, byte[] value) {
        return Rows.read("an idempotency record", value, in -> {
            Status status = status(in.readByte());
            IfAbandoned ifAbandoned = ifAbandoned(in.readByte());
            long fencingToken = in.readVarint();
            int attempts = (int) in.readVarint();
            String commitId = in.readText();
            String clientTxId = in.readText();
            Fingerprint fingerprint = Fingerprint.ofHash(in.readBytes(32));
            Instant createdAt = in.readInstant();
            Instant deadline = in.readOptionalInstant();
            Instant purgeAt = in.readOptionalInstant();
            int parts = in.readByte();
            Integer outcome = (parts & HAS_OUTCOME) == 0 ? null : (Integer) (int) in.readVarint();
            String cause = (parts & HAS_CAUSE) == 0 ? null : in.readText();
            Response response = (parts & HAS_RESPONSE) == 0 ? null : response(in);
            return IdempotencyRecord.builder(key, clientTxId, fingerprint)
                    .status(status)
                    .ifAbandoned(ifAbandoned)
                    .attempts(attempts)
                    .commitId(commitId)
                    .fencingToken(fencingToken)
                    .createdAt(createdAt)
                    .deadline(deadline)
                    .purgeAt(purgeAt)
                    .response(response)
                    .outcome(outcome)
                    .cause(cause)
                    .build();
        });
    }

    private static Response response(ByteReader in) {
        int flags = in.readByte();
        int status = (int) in.readVarint();
        long count = in.readVarint();
        Map<String, String> headers = count == 0 ? Map.of() : new HashMap<>();
        for (long left = count; left > 0; left--) {
            if ((flags & HEADERS_AS_CHARS) == 0) {
                headers.put(in.readText(), in.readText());
            } else {
                headers.put(in.readChars(), in.readChars());
            }
        }
        Response response = Response.of(status, headers, in.readBlock());
        response = (flags & REFUSAL) == 0 ? response : response.asRefusal();
        return (flags & NOT_KEPT) == 0 ? response : response.notKept();
    }

    /** Whether {@link IdempotencyRecord#sweptAt} would change a record. Does not decode the response. */
    static boolean isToBeSwept(byte[] value, Instant now) {
        return Rows.read("an idempotency record", value, in -> {
            boolean processing = status(in.readByte()) == Status.PROCESSING;
            boolean freezes = ifAbandoned(in.readByte()) == IfAbandoned.FREEZE && processing;
            skipToCreatedAt(in);
            in.readInstant(); // createdAt
            Instant deadline = in.readOptionalInstant();
            Instant purgeAt = in.readOptionalInstant();
            boolean purged = purgeAt != null && !now.isBefore(purgeAt);
            boolean expired = deadline != null && !now.isBefore(deadline);
            return expired && (freezes || purged || (in.readByte() & HAS_RESPONSE) != 0);
        });
    }

    /** Decodes when a record was created. */
    static Instant createdAt(byte[] value) {
        return Rows.read("an idempotency record", value, in -> {
            in.readByte();
            in.readByte();
            skipToCreatedAt(in);
            return in.readInstant();
        });
    }

    private static void skipToCreatedAt(ByteReader in) {
        in.readVarint();
        in.readVarint();
        in.readText();
        in.readText();
        in.readBytes(32);
    }

    /** Encodes the value of a row in {@link Database#incomplete}. */
    static byte[] incompleteValue(Status status) {
        return new byte[] {(byte) code(status)};
    }

    static Status incompleteStatus(byte[] value) {
        return status(value[0]);
    }

    private static int code(Status status) {
        return switch (status) {
            case PROCESSING -> 1;
            case COMPLETED -> 2;
            case FAILED -> 3;
            case UNKNOWN -> 4;
        };
    }

    private static Status status(int code) {
        return switch (code) {
            case 1 -> Status.PROCESSING;
            case 2 -> Status.COMPLETED;
            case 3 -> Status.FAILED;
            case 4 -> Status.UNKNOWN;
            default -> throw new IllegalStateException("Unknown status " + code);
        };
    }

    private static int code(@Nullable IfAbandoned ifAbandoned) {
        if (ifAbandoned == null) {
            return 0;
        }
        return switch (ifAbandoned) {
            case RERUN -> 1;
            case FREEZE -> 2;
        };
    }

    private static @Nullable IfAbandoned ifAbandoned(int code) {
        return switch (code) {
            case 0 -> null;
            case 1 -> IfAbandoned.RERUN;
            case 2 -> IfAbandoned.FREEZE;
            default -> throw new IllegalStateException("Unknown policy " + code);
        };
    }
}
