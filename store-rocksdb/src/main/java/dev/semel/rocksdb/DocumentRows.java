package dev.semel.rocksdb;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.json.Json;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.spi.Commit.IndexEntry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Encodes and decodes documents and their index entries as rows. */
final class DocumentRows {

    private DocumentRows() {}

    static byte[] key(DocumentId id) {
        return key(id.collection(), "", id.owner(), id.key());
    }

    static byte[] key(DocumentId id, IndexEntry entry) {
        return key(id.collection(), entry.index(), id.owner(), entry.key());
    }

    /** @param index name of a secondary index; empty for the documents themselves */
    static byte[] key(String collection, String index, String owner, String key) {
        return index.isEmpty() ? Rows.join(collection, owner, key) : Rows.join(collection, index, owner, key);
    }

    /** Returns the collection of the row of a document or an index entry. */
    static String collectionOf(byte[] row) {
        int end = 0;
        while (row[end] != Rows.SEPARATOR) {
            end++;
        }
        return new String(row, 0, end, UTF_8);
    }

    /** Returns the index of the row of an index entry. */
    static String indexOf(byte[] indexRow) {
        return Rows.split(indexRow)[1];
    }

    /** Returns the prefix of the documents of a collection. */
    static byte[] prefix(String collection) {
        return Rows.join(collection, "");
    }

    /** Returns the prefix of the entries in an index. */
    static byte[] prefix(String collection, String index) {
        return Rows.join(collection, index, "");
    }

    /** Extends a prefix to that of the rows of one owner. */
    static byte[] ownedBy(byte[] prefix, String user) {
        byte[] owner = Rows.join(user, "");
        byte[] joined = Arrays.copyOf(prefix, prefix.length + owner.length);
        System.arraycopy(owner, 0, joined, prefix.length, owner.length);
        return joined;
    }

    /** Returns the row of the document of an index entry. */
    static byte[] documentKey(byte[] indexRow, byte[] value) {
        String[] parts = Rows.split(indexRow);
        return Rows.join(parts[0], parts[2], new String(value, US_ASCII));
    }

    /** Encodes a document. If it expires, its index entries are included, so a sweep can delete them with it. */
    static byte[] value(Document document, List<IndexEntry> indexEntries) {
        byte[] data = document.data().bytes();
        ByteWriter out = new ByteWriter(data.length + 40)
                .addByte(Rows.LAYOUT)
                .addVarint(document.version())
                .addInstant(document.createdAt())
                .addInstant(document.updatedAt())
                .addOptionalInstant(document.expiresAt())
                .addText(document.commitId())
                .addBlock(data)
                .addVarint(document.sequence());
        if (document.expiresAt() != null) {
            indexEntries.forEach(entry -> out.addText(entry.index()).addText(entry.key()));
        }
        return out.toBytes();
    }

    /** Encodes the value of an index entry: the key of the document. */
    static byte[] value(DocumentId id) {
        return id.key().getBytes(US_ASCII);
    }

    static Document document(DocumentId id, byte[] value) {
        return Rows.read("a document", value, in -> document(id, in));
    }

    private static Document document(DocumentId id, ByteReader in) {
        long version = in.readVarint();
        Instant createdAt = in.readInstant();
        Instant updatedAt = in.readInstant();
        Instant expiresAt = in.readOptionalInstant();
        String commitId = in.readText();
        Json data = Json.ofChecked(in.readBlock());
        long sequence = in.readVarint();
        return new Document(id, version, createdAt, updatedAt, expiresAt, data, commitId, sequence);
    }

    /** Whether a document has expired. */
    static boolean isExpired(byte[] value, Instant now) {
        return Rows.read("a document", value, in -> {
            in.readVarint();
            in.readInstant();
            in.readInstant();
            Instant expiresAt = in.readOptionalInstant();
            return expiresAt != null && !now.isBefore(expiresAt);
        });
    }

    /** Returns the rows of the index entries of a document that expires. */
    static List<byte[]> indexKeys(byte[] row, byte[] value) {
        String[] parts = Rows.split(row);
        DocumentId id = new DocumentId(parts[0], parts[1], parts[2]);
        return Rows.read("a document", value, in -> {
            document(id, in);
            List<byte[]> keys = new ArrayList<>();
            while (!in.isAtEnd()) {
                keys.add(key(id, new IndexEntry(in.readText(), in.readText())));
            }
            return keys;
        });
    }
}
