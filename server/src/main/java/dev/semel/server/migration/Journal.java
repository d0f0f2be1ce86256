package dev.semel.server.migration;

import dev.semel.document.Transaction;
import dev.semel.key.KeyRange;
import dev.semel.server.apps.reputation.DocumentType;
import dev.semel.server.apps.reputation.LegacyKeys;
import dev.semel.server.migration.JournalEntry.Outcome;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.spi.Commit.IndexEntry;
import dev.semel.store.spi.DocumentStore;
import dev.semel.store.spi.DocumentStore.Scan;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * The journal of a migration: a document for each document of the source, in the order of the source. An index finds the entry that has
 * written a document, another the entries of arbitrary legacy keys.
 */
final class Journal {

    static final String BY_KEY = "to";

    private static final int PAGE = 500;
    private static final int NUMBER_DIGITS = 6;
    private static final int LINE_DIGITS = 12;

    private final DocumentStore store;
    private final int number;

    /** @param number the number of the migration */
    Journal(DocumentStore store, int number) {
        this.store = store;
        this.number = number;
    }

    private DocumentId id(long line) {
        return new DocumentId(LegacyKeys.JOURNAL, "", prefix(number) + padded(line, LINE_DIGITS));
    }

    private static String prefix(int number) {
        return padded(number, NUMBER_DIGITS) + "-";
    }

    private static String padded(long value, int digits) {
        String text = Long.toString(value);
        return "0".repeat(Math.max(0, digits - text.length())) + text;
    }

    void add(Transaction tx, JournalEntry entry) {
        DocumentId id = id(entry.line().number());
        if (tx.expectAbsent(id).isPresent()) {
            throw new MigrationException(
                    "The journal already has line " + entry.line().number());
        }
        tx.put(Document.created(id, tx.now(), null, entry.toJson()), indexEntries(entry));
    }

    void update(Transaction tx, JournalEntry entry) {
        Document current = tx.read(id(entry.line().number())).orElseThrow();
        tx.put(current.updated(tx.now(), entry.toJson()), indexEntries(entry));
    }

    void delete(Transaction tx, JournalEntry entry) {
        DocumentId id = id(entry.line().number());
        if (tx.read(id).isPresent()) {
            tx.delete(id, indexEntries(entry));
        }
    }

    private List<IndexEntry> indexEntries(JournalEntry entry) {
        DocumentType type = entry.type();
        String key = entry.key();
        String legacyKey = entry.legacyKey();
        if (type == null || key == null || legacyKey == null) {
            return List.of();
        }
        List<IndexEntry> entries = new ArrayList<>();
        if (entry.outcome() == Outcome.WRITTEN) {
            entries.add(new IndexEntry(BY_KEY, byKey(type, key)));
        }
        if (!LegacyKeys.hasLabels(legacyKey)) {
            entries.add(
                    LegacyKeys.entry(type, legacyKey, id(entry.line().number()).key()));
        }
        return entries;
    }

    private String byKey(DocumentType type, String key) {
        return prefix(number) + type.name() + "/" + key;
    }

    /** Returns the entry that has written a document; empty if the migration has not written it. */
    Optional<JournalEntry> writer(Transaction tx, DocumentType type, String key) {
        return store.scan(new Scan(LegacyKeys.JOURNAL, "", BY_KEY, KeyRange.ofKey(byKey(type, key)), "", 1)).stream()
                .findFirst()
                .flatMap(found -> tx.read(found.id()))
                .map(found -> JournalEntry.of(found.data()));
    }

    /** Returns all entries in the order of the source, read page by page. */
    Iterator<JournalEntry> entries() {
        return new Entries();
    }

    private final class Entries implements Iterator<JournalEntry> {
        private final Deque<Document> page = new ArrayDeque<>();
        private String after = "";
        private boolean ended;

        @Override
        public boolean hasNext() {
            if (page.isEmpty() && !ended) {
                page.addAll(store.scan(
                        new Scan(LegacyKeys.JOURNAL, "", "", KeyRange.ofPrefix(prefix(number)), after, PAGE)));
                ended = page.isEmpty();
                after = ended ? after : page.getLast().key();
            }
            return !page.isEmpty();
        }

        @Override
        public JournalEntry next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return JournalEntry.of(page.remove().data());
        }
    }
}
