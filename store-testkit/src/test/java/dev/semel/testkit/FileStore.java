package dev.semel.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.DSYNC;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.semel.json.Fingerprint;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.OnceStore;
import dev.semel.store.spi.OnceStore.Lookup;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A durable store of idempotency records with a file for each key, as a user of the documentation could write it. */
public final class FileStore implements OnceStore {

    private final Path directory;
    private final InstantSource clock;

    public FileStore(Path directory, InstantSource clock) {
        this.directory = directory;
        this.clock = clock;
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw StoreException.rejected("Cannot create " + directory + ": " + e);
        }
    }

    @Override
    public InstantSource clock() {
        return clock;
    }

    @Override
    public synchronized Lookup find(IdempotencyKey key) {
        return new Lookup(read(key), clock.instant());
    }

    @Override
    public synchronized CommitResult compareAndSet(String commitId, IdempotencyWrite write) {
        IdempotencyRecord current = read(write.record().key());
        if (current != null && current.commitId().equals(commitId)) {
            return new CommitResult.Applied(current);
        }
        if (!write.precondition().isMetBy(current)) {
            return new CommitResult.RecordConflict();
        }
        IdempotencyRecord stamped = write.stamp(commitId, clock.instant());
        write(stamped);
        return new CommitResult.Applied(stamped);
    }

    @Override
    public void close() {}

    /** No part contains a line feed, so two keys never have the same file. */
    private Path file(IdempotencyKey key) {
        String parts = key.user() + "\n" + key.endpoint() + "\n" + key.key();
        return directory.resolve(UUID.nameUUIDFromBytes(parts.getBytes(UTF_8)).toString());
    }

    private @Nullable IdempotencyRecord read(IdempotencyKey key) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(Files.readAllBytes(file(key))))) {
            IdempotencyRecord.Builder record = IdempotencyRecord.builder(
                            key, in.readUTF(), Fingerprint.ofHash(in.readNBytes(32)))
                    .status(Status.valueOf(in.readUTF()))
                    .ifAbandoned(in.readBoolean() ? IfAbandoned.valueOf(in.readUTF()) : null)
                    .attempts(in.readInt())
                    .commitId(in.readUTF())
                    .fencingToken(in.readLong())
                    .createdAt(Instant.parse(in.readUTF()))
                    .deadline(in.readBoolean() ? Instant.parse(in.readUTF()) : null)
                    .purgeAt(in.readBoolean() ? Instant.parse(in.readUTF()) : null);
            return record.outcome(in.readBoolean() ? Integer.valueOf(in.readUTF()) : null)
                    .cause(in.readBoolean() ? in.readUTF() : null)
                    .response(in.readBoolean() ? readResponse(in) : null)
                    .build();
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            throw StoreException.unavailable("Cannot read " + file(key), e);
        }
    }

    private static Response readResponse(DataInputStream in) throws IOException {
        int status = in.readInt();
        Map<String, String> headers = new HashMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            headers.put(in.readUTF(), in.readUTF());
        }
        Response response = Response.of(status, headers, in.readNBytes(in.readInt()));
        response = in.readBoolean() ? response.asRefusal() : response;
        return in.readBoolean() ? response : response.notKept();
    }

    private void write(IdempotencyRecord record) {
        try {
            Path draft = directory.resolve("draft");
            Files.write(draft, bytes(record), CREATE, TRUNCATE_EXISTING, DSYNC, WRITE);
            Files.move(draft, file(record.key()), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw StoreException.unavailable("Cannot write " + file(record.key()), e);
        }
    }

    private static byte[] bytes(IdempotencyRecord record) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeUTF(record.clientTxId());
        out.write(record.fingerprint().bytes());
        out.writeUTF(record.status().name());
        writeOptional(out, record.ifAbandoned());
        out.writeInt(record.attempts());
        out.writeUTF(record.commitId());
        out.writeLong(record.fencingToken());
        out.writeUTF(record.createdAt().toString());
        writeOptional(out, record.deadline());
        writeOptional(out, record.purgeAt());
        writeOptional(out, record.outcome());
        writeOptional(out, record.cause());
        Response response = record.response();
        out.writeBoolean(response != null);
        if (response != null) {
            out.writeInt(response.status());
            out.writeInt(response.headers().size());
            for (Map.Entry<String, String> header : response.headers().entrySet()) {
                out.writeUTF(header.getKey());
                out.writeUTF(header.getValue());
            }
            out.writeInt(response.body().length);
            out.write(response.body());
            out.writeBoolean(response.isRefusal());
            out.writeBoolean(response.isKept());
        }
        return bytes.toByteArray();
    }

    private static void writeOptional(DataOutputStream out, @Nullable Object value) throws IOException {
        out.writeBoolean(value != null);
        if (value != null) {
            out.writeUTF(value.toString());
        }
    }
}
