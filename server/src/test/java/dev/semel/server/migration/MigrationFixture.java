package dev.semel.server.migration;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.document.DocumentCollection;
import dev.semel.document.Transactions;
import dev.semel.json.Json;
import dev.semel.key.KeyRange;
import dev.semel.key.KeyTemplate;
import dev.semel.server.apps.reputation.DocumentType;
import dev.semel.store.Document;
import dev.semel.store.Time;
import dev.semel.store.spi.DocumentStore;
import dev.semel.store.spi.DocumentStore.Scan;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Sources, and what is in a store. */
final class MigrationFixture {

    static final String ANN = "67e5504410b1426f9247bb680e5fe0c8";
    static final String GOLF = "b068e9ee14224edf8878440ab8b6c7d8";
    static final String BOB = "c168e9ee14224edf8878440ab8b6c7d9";
    static final String VOTE = "d268e9ee14224edf8878440ab8b6c7da";

    private MigrationFixture() {}

    /** Collects what a listener gets. */
    static final class Report implements MigrationListener {
        final List<String> leftOut = new ArrayList<>();
        final List<String> differences = new ArrayList<>();

        @Override
        public void leftOut(long line, @Nullable String key, String reason) {
            leftOut.add(line + " " + key + ": " + reason);
        }

        @Override
        public void differs(String type, String key, boolean changed, String reason) {
            differences.add(type + "/" + key + " " + changed + ": " + reason);
        }
    }

    static NdjsonSource lines(String... lines) {
        return source(String.join("\n", lines).getBytes(UTF_8));
    }

    static NdjsonSource source(byte[] bytes) {
        return new NdjsonSource(new ByteArrayInputStream(bytes), "old.ndjson", bytes.length);
    }

    static MigrationOptions merging(String rule) {
        return new MigrationOptions(PartMapping.DEFAULT, MergeRule.parse(rule).orElseThrow());
    }

    static String reputation(String key, String rest, String data) {
        return "{\"collection\":\"reputations\",\"key\":\"" + key + "\"" + rest + ",\"data\":" + data + "}";
    }

    static String reputationKey() {
        return "usr_" + ANN + "_tag_" + GOLF;
    }

    /** Returns all documents of all types, with their index entries: by type, index and key. */
    static Map<String, String> contents(DocumentStore store) {
        Map<String, String> contents = new TreeMap<>();
        for (DocumentType type : DocumentType.ALL) {
            for (Document document : scan(store, type, "")) {
                contents.put(
                        type.name() + " " + document.key(),
                        document.version() + " " + document.createdAt() + " " + document.updatedAt() + " "
                                + document.data().text());
            }
            for (String index : indexes(type)) {
                for (Document document : scan(store, type, index)) {
                    contents.put(type.name() + " " + index + " " + document.key(), "");
                }
            }
        }
        return contents;
    }

    private static List<String> indexes(DocumentType type) {
        String text = type.documents().toString();
        String templates = text.substring(text.indexOf('[') + 1, text.length() - 1);
        return List.of(templates.split(", ")).subList(1, templates.split(", ").length).stream()
                .map(KeyTemplate::of)
                .map(KeyTemplate::name)
                .toList();
    }

    private static List<Document> scan(DocumentStore store, DocumentType type, String index) {
        return store.scan(new Scan(type.documents().collection(), "", index, KeyRange.ofPrefix(""), "", 100_000));
    }

    static Document read(DocumentStore store, String type, String key) {
        return DocumentType.named(type)
                .orElseThrow()
                .documents()
                .read(store, key)
                .orElseThrow();
    }

    /** Creates or updates a document as a user does. */
    static void write(DocumentStore store, String type, String key, String data) {
        DocumentCollection documents = DocumentType.named(type).orElseThrow().documents();
        documents.upsert(new Transactions(store, Time.system()), key, current -> Json.of(data));
    }
}
