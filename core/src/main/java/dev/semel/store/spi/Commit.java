package dev.semel.store.spi;

import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Preconditions and writes that are applied together or not at all.
 *
 * @param id commit id, made by the caller and unique to this commit. Sending the commit again returns the same result
 * @param idempotencyWrite the change to an idempotency record; null if there is none
 * @param preconditions the {@linkplain Document#commitId() commit id} that each of these documents must have; an empty text if the
 *     document must be absent
 * @param writes the changes to documents
 * @param notifiesWatchers whether {@linkplain OrderedStore#watch watchers} are notified of the commit, even if it assigns no sequence number
 */
public record Commit(
        String id,
        @Nullable IdempotencyWrite idempotencyWrite,
        Map<DocumentId, String> preconditions,
        Collection<DocumentWrite> writes,
        boolean notifiesWatchers) {

    /** Makes a commit of which watchers are notified only if it assigns a sequence number. */
    public Commit(
            String id,
            @Nullable IdempotencyWrite idempotencyWrite,
            Map<DocumentId, String> preconditions,
            Collection<DocumentWrite> writes) {
        this(id, idempotencyWrite, preconditions, writes, false);
    }

    /** A change to a document. */
    public sealed interface DocumentWrite {

        /** Returns the id of the document. */
        DocumentId id();

        /** Returns all entries of the document in secondary indexes, which are written and deleted with it. */
        List<IndexEntry> indexEntries();

        /** Writes a document, replacing what is stored. The preconditions of the commit decide what may be replaced. */
        record Put(Document document, List<IndexEntry> indexEntries) implements DocumentWrite {
            @Override
            public DocumentId id() {
                return document.id();
            }

            /** Whether the store has to assign a commit sequence number to the document. */
            public boolean needsSequence() {
                return document.sequence() == 0 && indexEntries.stream().anyMatch(IndexEntry::sequenced);
            }

            /** Returns the deletion of an expired document with the same key, whose index entries have another sequence number. */
            public Delete deletionOf(Document old) {
                return new Delete(
                        old.id(),
                        indexEntries.stream()
                                .map(entry -> entry.withSequence(old.sequence()))
                                .toList());
            }

            /** Returns this write with the sequence number of its commit, if it needs one. */
            public Put withSequence(long sequence) {
                return needsSequence()
                        ? new Put(
                                document.withSequence(sequence),
                                indexEntries.stream()
                                        .map(entry -> entry.withSequence(sequence))
                                        .toList())
                        : this;
            }
        }

        /** Deletes a document, if it exists. */
        record Delete(DocumentId id, List<IndexEntry> indexEntries) implements DocumentWrite {}
    }

    /** Returns a commit that only writes an idempotency record. */
    public static Commit of(String id, IdempotencyWrite idempotencyWrite) {
        return new Commit(id, idempotencyWrite, Map.of(), List.of());
    }

    /** Returns the documents that have a precondition and are not written. Commits that only check a document need not wait for each other. */
    public Set<DocumentId> checkedOnly() {
        Set<DocumentId> checked = new HashSet<>(preconditions.keySet());
        writes.forEach(write -> checked.remove(write.id()));
        return checked;
    }

    /** Whether the commit creates a document that needs a commit sequence number. */
    public boolean needsSequence() {
        for (DocumentWrite write : writes) {
            if (write instanceof DocumentWrite.Put put && put.needsSequence()) {
                return true;
            }
        }
        return false;
    }

    /**
     * An entry in a secondary index, by which a document is found. It has to be unique within its collection, owner and index, as the
     * entries of {@code DocumentCollection} are.
     *
     * @param index name of the index
     * @param key key of the entry: 1 to {@value DocumentId#LONGEST_KEY} visible ASCII characters. If the entry is sequenced, the key without
     *     its sequence number
     * @param sequenced whether the store appends the document's {@linkplain Document#sequence() commit sequence number} to the key
     */
    public record IndexEntry(String index, String key, boolean sequenced) {

        /** Name of the index in commit order. */
        public static final String COMMIT_ORDER = "commit-order";

        private static final int SEQUENCE_LENGTH = 13; // of the largest long
        private static final int RADIX = 36;

        /**
         * Checks the key.
         *
         * @throws dev.semel.id.MalformedException if the key is missing or malformed
         */
        public IndexEntry {
            if (!sequenced || !key.isEmpty()) {
                DocumentId.checkVisible("index entry", key, DocumentId.LONGEST_KEY - (sequenced ? SEQUENCE_LENGTH : 0));
            }
        }

        /** Makes an entry whose key is complete. */
        public IndexEntry(String index, String key) {
            this(index, key, false);
        }

        /** Returns an entry that sorts by commit sequence number after a prefix. */
        public static IndexEntry inCommitOrder(String prefix) {
            return new IndexEntry(COMMIT_ORDER, prefix, true);
        }

        /** Returns the complete entry of a document with a given sequence number. */
        public IndexEntry withSequence(long sequence) {
            return sequenced ? new IndexEntry(index, key + encoded(sequence)) : this;
        }

        /** Whether the key of a complete entry ends with a given sequence number. */
        public static boolean endsWith(long sequence, String key) {
            return key.endsWith(encoded(sequence));
        }

        /** Whether a key can be that of a complete entry in commit order. */
        public static boolean endsWithSequence(String key) {
            return key.length() >= SEQUENCE_LENGTH && key.chars().allMatch(c -> c > ' ' && c < 0x7F);
        }

        private static String encoded(long sequence) {
            String digits = Long.toString(sequence, RADIX);
            return "0".repeat(SEQUENCE_LENGTH - digits.length()) + digits;
        }
    }
}
