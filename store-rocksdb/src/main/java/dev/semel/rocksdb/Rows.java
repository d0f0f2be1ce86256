package dev.semel.rocksdb;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.store.Cleanup;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.FurtherKey;
import dev.semel.store.IfAbandoned;
import dev.semel.store.OnceKey;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceStatus;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How rows are spelled on disk: the format, version {@value #FORMAT}.
 *
 * <p>A key is its parts with a zero byte between them, which none of them can hold; so rows are in the order of their parts. A value
 * begins with the number of its layout; then come its fields. What is but a number or a time has no layout.
 */
final class Rows {

    /** The version of the whole format. It changes when an older release could no longer read what is written. */
    static final int FORMAT = 3;

    /** No text in UTF-8 begins so high. */
    static final byte[] BEHIND_ALL = {(byte) 0xFF};

    private static final int LAYOUT = 1;
    private static final char SEPARATOR = 0;

    private static final int REFUSAL = 1;
    private static final int NOT_KEPT = 2;

    private Rows() {}

    /** The user comes first, so that all keys of a user are together. */
    static byte[] key(OnceKey key) {
        return join(key.user(), key.endpoint(), key.key());
    }

    /** Where the keys of a user and an endpoint begin that begin with a text. */
    static byte[] keysOf(String user, String endpoint, String prefix) {
        return join(user, endpoint, prefix);
    }

    /** Where the keys of a user begin. */
    static byte[] keysOf(String user) {
        return join(user, "");
    }

    static byte[] key(DocumentId id) {
        return documentKey(id.collection(), "", id.owner(), id.key());
    }

    static byte[] key(DocumentId id, FurtherKey further) {
        return documentKey(id.collection(), further.name(), id.owner(), further.key());
    }

    /** @param furtherKey name of the further key, or empty for the document's own */
    static byte[] documentKey(String collection, String furtherKey, String owner, String key) {
        return furtherKey.isEmpty() ? join(collection, owner, key) : join(collection, furtherKey, owner, key);
    }

    /** The collection that a row of documents is in. */
    static String collectionOf(byte[] row) {
        int end = 0;
        while (row[end] != SEPARATOR) {
            end++;
        }
        return new String(row, 0, end, UTF_8);
    }

    /** Where the rows of a collection begin. */
    static byte[] rowsOf(String collection) {
        return join(collection, "");
    }

    /** Where a user's own rows begin among those of a collection, or of one of its further keys. */
    static byte[] ownedBy(byte[] rows, String user) {
        byte[] theirs = keysOf(user);
        byte[] joined = Arrays.copyOf(rows, rows.length + theirs.length);
        System.arraycopy(theirs, 0, joined, rows.length, theirs.length);
        return joined;
    }

    /** The own key of the document to which a row of a further key leads. */
    static byte[] documentBehind(byte[] furtherRow, byte[] key) {
        String[] parts = new String(furtherRow, UTF_8).split("\0", -1);
        return join(parts[0], parts[2], new String(key, US_ASCII));
    }

    /** The first key behind all that begin with a prefix, which ends with a separator. */
    static byte[] behind(byte[] prefix) {
        byte[] next = prefix.clone();
        next[next.length - 1]++;
        return next;
    }

    /** The first key behind another. */
    static byte[] next(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }

    private static byte[] join(String first, String second) {
        return (first + SEPARATOR + second).getBytes(UTF_8);
    }

    private static byte[] join(String first, String second, String third) {
        return (first + SEPARATOR + second + SEPARATOR + third).getBytes(UTF_8);
    }

    private static byte[] join(String first, String second, String third, String fourth) {
        return (first + SEPARATOR + second + SEPARATOR + third + SEPARATOR + fourth).getBytes(UTF_8);
    }

    static byte[] value(OnceRecord record) {
        Response response = record.response();
        ByteWriter out = new ByteWriter(160);
        out.addByte(LAYOUT)
                .addByte(code(record.status()))
                .addByte(code(record.ifAbandoned()))
                .addVarint(record.fence())
                .addVarint(record.attempts())
                .addText(record.attempt())
                .addText(record.clientTxId())
                .addBytes(record.fingerprint().bytes())
                .addInstant(record.createdAt())
                .addOptionalInstant(record.deadline())
                .addOptionalInstant(record.forgottenAt())
                .addByte(response == null ? 0 : 1);
        if (response != null) {
            out.addByte((response.isRefusal() ? REFUSAL : 0) | (response.isKept() ? 0 : NOT_KEPT))
                    .addVarint(response.status())
                    .addVarint(response.headers().size());
            response.headers().forEach((name, value) -> out.addText(name).addText(value));
            out.addBlock(response.body());
        }
        return out.toBytes();
    }

    static OnceRecord onceRecord(OnceKey key, byte[] value) {
        return read("a once-record", value, in -> {
            OnceStatus status = status(in.readByte());
            IfAbandoned ifAbandoned = ifAbandoned(in.readByte());
            long fence = in.readVarint();
            int attempts = (int) in.readVarint();
            String attempt = in.readText();
            String clientTxId = in.readText();
            Fingerprint fingerprint = Fingerprint.ofHash(in.readBytes(32));
            Instant createdAt = in.readInstant();
            Instant deadline = in.readOptionalInstant();
            Instant forgottenAt = in.readOptionalInstant();
            Response response = in.readByte() == 0 ? null : response(in);
            return new OnceRecord(
                    key,
                    clientTxId,
                    fingerprint,
                    status,
                    ifAbandoned,
                    attempts,
                    attempt,
                    fence,
                    createdAt,
                    deadline,
                    forgottenAt,
                    response);
        });
    }

    /** Whether {@link OnceRecord#sweptAt} changes a once-record, told without reading its response. */
    static boolean isToBeSwept(byte[] value, Instant now) {
        return read("a once-record", value, in -> {
            boolean processing = status(in.readByte()) == OnceStatus.PROCESSING;
            boolean freezes = ifAbandoned(in.readByte()) == IfAbandoned.FREEZE && processing;
            skipFromFenceToCreatedAt(in);
            in.readInstant(); // when it was created
            Instant deadline = in.readOptionalInstant();
            Instant forgottenAt = in.readOptionalInstant();
            boolean forgotten = forgottenAt != null && !now.isBefore(forgottenAt);
            boolean over = deadline != null && !now.isBefore(deadline);
            return over && (freezes || forgotten || in.readByte() != 0);
        });
    }

    /** The key of a once-record by its row. */
    static OnceKey onceKey(byte[] row) {
        String[] parts = new String(row, UTF_8).split("\0", -1);
        return new OnceKey(parts[0], parts[1], parts[2]);
    }

    /** The row of a key by what its client calls the transaction. */
    static byte[] clientKey(OnceKey key, String clientTxId) {
        return join(key.user(), clientTxId, key.endpoint(), key.key());
    }

    /** Where rows begin whose first two parts are these. */
    static byte[] rowsOf(String first, String second) {
        return join(first, second, "");
    }

    /** The name of the further key that a row is one of. */
    static String furtherKeyOf(byte[] furtherRow) {
        return new String(furtherRow, UTF_8).split("\0", -1)[1];
    }

    /** The row of a once-record by one of {@link #clientKey}. */
    static byte[] keyBehind(byte[] clientRow) {
        String[] parts = new String(clientRow, UTF_8).split("\0", -1);
        return join(parts[0], parts[2], parts[3]);
    }

    private static final String CLEANUP = "cleanup";
    private static final String START = "start";

    /** Where earlier starts begin of keys that a user has begun anew; they are in the same family as numbers. */
    static byte[] startsOf(String user) {
        return join(START, user, "");
    }

    /** An earlier start of a key, which is known by it alone; null if it does not count any more. */
    static byte @Nullable [] start(OnceRecord earlier, Instant now) {
        return earlier.createdAt().isAfter(now.minus(Quota.LONGEST))
                ? join(START, earlier.key().user(), earlier.attempt())
                : null;
    }

    static byte[] startedAt(OnceRecord earlier) {
        return new ByteWriter(10).addInstant(earlier.createdAt()).toBytes();
    }

    static Instant startedAt(byte[] value) {
        return new ByteReader(value).readInstant();
    }

    /** Whether a row is an earlier start that does not count any more. */
    static boolean isOverStart(byte[] row, byte[] value, Instant now) {
        byte[] starts = join(START, "");
        return Arrays.mismatch(starts, row) == starts.length
                && !startedAt(value).isAfter(now.minus(Quota.LONGEST));
    }

    /** Where what is noted of sweeps begins; it is in the same family as numbers. */
    static byte[] cleanups() {
        return join(CLEANUP, "");
    }

    /** The latest come first. */
    static byte[] key(Cleanup cleanup) {
        long micros = ChronoUnit.MICROS.between(Instant.EPOCH, cleanup.time());
        return join(CLEANUP, "%016x".formatted(Long.MAX_VALUE - micros), cleanup.table());
    }

    static byte[] value(Cleanup cleanup) {
        return new ByteWriter(40)
                .addByte(LAYOUT)
                .addText(cleanup.table())
                .addVarint(cleanup.deleted())
                .addInstant(cleanup.time())
                .toBytes();
    }

    static Cleanup cleanup(byte[] value) {
        return read("what was noted of a sweep", value, in -> {
            String table = in.readText();
            long deleted = in.readVarint();
            return new Cleanup(table, deleted, in.readInstant());
        });
    }

    /** A number that is a row of its own. */
    static long number(byte[] value) {
        try {
            return new ByteReader(value).readVarint();
        } catch (IllegalStateException | IllegalArgumentException e) {
            throw StoreException.refused("Cannot read how far the store has counted: it is damaged");
        }
    }

    /** Whether a document is past its time. */
    static boolean isExpired(byte[] value, Instant now) {
        return read("a document", value, in -> {
            in.readVarint();
            in.readInstant();
            in.readInstant();
            Instant expiresAt = in.readOptionalInstant();
            return expiresAt != null && !now.isBefore(expiresAt);
        });
    }

    private static void skipFromFenceToCreatedAt(ByteReader in) {
        in.readVarint();
        in.readVarint();
        in.readText();
        in.readText();
        in.readBytes(32);
    }

    /** When the key of a once-record was first seen. */
    static Instant createdAt(byte[] value) {
        return read("a once-record", value, in -> {
            in.readByte();
            in.readByte();
            skipFromFenceToCreatedAt(in);
            return in.readInstant();
        });
    }

    private static Response response(ByteReader in) {
        int flags = in.readByte();
        int status = (int) in.readVarint();
        long count = in.readVarint();
        Map<String, String> headers = count == 0 ? Map.of() : new HashMap<>();
        for (long left = count; left > 0; left--) {
            headers.put(in.readText(), in.readText());
        }
        Response response = Response.of(status, headers, in.readBlock());
        response = (flags & REFUSAL) == 0 ? response : response.asRefusal();
        return (flags & NOT_KEPT) == 0 ? response : response.notKept();
    }

    /** A document that is to go by itself says by which further keys it is found: they go with it. */
    static byte[] value(Document document, List<FurtherKey> furtherKeys) {
        byte[] data = document.data().bytes();
        ByteWriter out = new ByteWriter(data.length + 40)
                .addByte(LAYOUT)
                .addVarint(document.version())
                .addInstant(document.createdAt())
                .addInstant(document.updatedAt())
                .addOptionalInstant(document.expiresAt())
                .addText(document.writtenBy())
                .addBlock(data)
                .addVarint(document.place());
        if (document.expiresAt() != null) {
            furtherKeys.forEach(further -> out.addText(further.name()).addText(further.key()));
        }
        return out.toBytes();
    }

    static Document document(DocumentId id, byte[] value) {
        return read("a document", value, in -> document(id, in));
    }

    private static Document document(DocumentId id, ByteReader in) {
        long version = in.readVarint();
        Instant createdAt = in.readInstant();
        Instant updatedAt = in.readInstant();
        Instant expiresAt = in.readOptionalInstant();
        String writtenBy = in.readText();
        Json data = Json.ofChecked(in.readBlock());
        long place = in.isAtEnd() ? 0 : in.readVarint();
        return new Document(id, version, createdAt, updatedAt, expiresAt, data, writtenBy, place);
    }

    /** The rows of the further keys of a document that was to go by itself. */
    static List<byte[]> furtherRows(byte[] row, byte[] value) {
        String[] parts = new String(row, UTF_8).split("\0", -1);
        DocumentId id = new DocumentId(parts[0], parts[1], parts[2]);
        return read("a document", value, in -> {
            document(id, in);
            List<byte[]> rows = new ArrayList<>();
            while (!in.isAtEnd()) {
                rows.add(key(id, new FurtherKey(in.readText(), in.readText())));
            }
            return rows;
        });
    }

    /** A further key leads to the document's own. */
    static byte[] value(DocumentId id) {
        return id.key().getBytes(US_ASCII);
    }

    private static <T> T read(String what, byte[] value, Function<ByteReader, T> reading) {
        try {
            ByteReader in = new ByteReader(value);
            int layout = in.readByte();
            if (layout != LAYOUT) {
                throw new IllegalStateException("Layout " + layout + " is not known here");
            }
            return reading.apply(in);
        } catch (IllegalStateException | IllegalArgumentException e) {
            throw StoreException.unavailable(
                    "Cannot read " + what + " from disk: it is damaged, or newer than this release", e);
        }
    }

    /** A status by itself. */
    static byte[] value(OnceStatus status) {
        return new byte[] {(byte) code(status)};
    }

    static OnceStatus onceStatus(byte[] value) {
        return status(value[0]);
    }

    private static int code(OnceStatus status) {
        return switch (status) {
            case PROCESSING -> 1;
            case COMPLETED -> 2;
            case FAILED -> 3;
            case UNKNOWN -> 4;
        };
    }

    private static OnceStatus status(int code) {
        return switch (code) {
            case 1 -> OnceStatus.PROCESSING;
            case 2 -> OnceStatus.COMPLETED;
            case 3 -> OnceStatus.FAILED;
            case 4 -> OnceStatus.UNKNOWN;
            default -> throw new IllegalStateException("Status " + code + " is not known here");
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
            default -> throw new IllegalStateException("Policy " + code + " is not known here");
        };
    }
}
