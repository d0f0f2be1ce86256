package dev.semel.rocksdb;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.spi.Commit.IndexEntry;
import dev.semel.store.spi.DocumentStore.Scan;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.Snapshot;

/** A scan of documents by their own keys or by a secondary index. It reads from one snapshot. */
final class DocumentScan {

    private final Database db;
    private final Scan scan;
    private final boolean byIndex;
    private final byte[] prefix;

    DocumentScan(Database db, Scan scan) {
        this.db = db;
        this.scan = scan;
        this.byIndex = !scan.index().isEmpty();
        this.prefix = DocumentRows.key(scan.collection(), scan.index(), scan.owner(), "");
    }

    List<Document> run(InstantSource clock) {
        byte[] from = concat(prefix, scan.range().from());
        byte[] to = scan.range().to().map(end -> concat(prefix, end)).orElseGet(() -> Rows.above(prefix));
        if (!scan.after().isEmpty()) {
            byte[] after = concat(prefix, scan.after().getBytes(US_ASCII));
            from = scan.descending() ? from : max(from, Rows.next(after));
            to = scan.descending() ? min(to, after) : to;
        }
        if (Arrays.compareUnsigned(from, to) >= 0) {
            return new ArrayList<>();
        }
        Snapshot snapshot = db.snapshot();
        try (Slice lower = new Slice(from);
                Slice upper = new Slice(to);
                ReadOptions options = Database.reading()
                        .setSnapshot(snapshot)
                        .setIterateLowerBound(lower)
                        .setIterateUpperBound(upper);
                RocksIterator rows = db.iterator(byIndex ? db.indexEntries : db.documents, options);
                ReadOptions reading = Database.reading().setSnapshot(snapshot)) {
            return read(rows, reading, clock.instant());
        } catch (RocksDBException e) {
            throw Database.failed("scan", e);
        } finally {
            db.release(snapshot);
        }
    }

    private List<Document> read(RocksIterator rows, ReadOptions reading, Instant now) throws RocksDBException {
        List<Document> found = new ArrayList<>();
        if (scan.descending()) {
            rows.seekToLast();
        } else {
            rows.seekToFirst();
        }
        long bytes = 0;
        while (rows.isValid() && found.size() < scan.limit() && bytes < Scan.ENOUGH_BYTES) {
            Document document = byIndex
                    ? documentOf(rows.key(), rows.value(), reading)
                    : DocumentRows.document(id(rows.key()), rows.value());
            if (document != null && !document.isExpiredAt(now)) {
                found.add(document);
                bytes += document.data().length();
            }
            if (scan.descending()) {
                rows.prev();
            } else {
                rows.next();
            }
        }
        rows.status();
        return found;
    }

    /** Returns the document of an index entry; null if there is none, or if it was created again with another sequence number. */
    private @Nullable Document documentOf(byte[] entry, byte[] key, ReadOptions reading) throws RocksDBException {
        DocumentId id = new DocumentId(scan.collection(), scan.owner(), new String(key, US_ASCII));
        byte[] found = db.get(db.documents, reading, DocumentRows.key(id));
        if (found == null) {
            return null;
        }
        Document document = DocumentRows.document(id, found);
        boolean isOldEntry = scan.index().equals(IndexEntry.COMMIT_ORDER)
                && !IndexEntry.endsWith(document.sequence(), new String(entry, US_ASCII));
        return isOldEntry ? null : document;
    }

    private DocumentId id(byte[] row) {
        String key = new String(row, prefix.length, row.length - prefix.length, UTF_8);
        return new DocumentId(scan.collection(), scan.owner(), key);
    }

    private static byte[] max(byte[] first, byte[] second) {
        return Arrays.compareUnsigned(first, second) > 0 ? first : second;
    }

    private static byte[] min(byte[] first, byte[] second) {
        return Arrays.compareUnsigned(first, second) < 0 ? first : second;
    }

    private static byte[] concat(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
