package dev.semel.server.apps.reputation;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.json.Fingerprint;
import dev.semel.key.KeyRange;
import dev.semel.key.KeyTemplate;
import dev.semel.server.web.JsonText;
import dev.semel.store.Document;
import dev.semel.store.spi.Commit.IndexEntry;
import dev.semel.store.spi.DocumentStore;
import dev.semel.store.spi.DocumentStore.Scan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The keys that documents had before they had composite keys. Three forms contain the parts: {@code USR=…_TAG=…}, {@code USR_…_TAG_…} and
 * {@code usr_…_tag_…}, whose parts may be of any form. Any other key is arbitrary: it leads to the new key only by the journal of the
 * migration.
 */
public final class LegacyKeys {

    /** The collection of the journals of migrations. The member {@code to} of a document is the new key. */
    public static final String JOURNAL = "migration/journal";

    private static final String BY_LEGACY_KEY = "from";

    /** The labels of parts, in the order of keys. */
    private static final Map<String, String> LABELS = labels();

    private static final List<Form> FORMS = List.of(Form.of(true, '='), Form.of(true, '_'), Form.of(false, '_'));

    /**
     * A form of keys.
     *
     * @param labels what precedes each part, by the name of the part
     */
    private record Form(Map<String, String> labels) {

        static Form of(boolean upper, char separator) {
            Map<String, String> labels = new LinkedHashMap<>();
            LABELS.forEach(
                    (part, label) -> labels.put(part, (upper ? label.toUpperCase(Locale.ROOT) : label) + separator));
            return new Form(labels);
        }

        private String first() {
            return labels.values().iterator().next();
        }

        /** Returns the parts of a key; null if it does not have exactly the parts of the template, each of them once. */
        private @Nullable Map<String, String> split(KeyTemplate template, String key) {
            Map<String, String> parts = new LinkedHashMap<>();
            String rest = "_" + key;
            String previous = "";
            for (KeyTemplate.Part part : template.parts()) {
                String label = "_" + labels.get(part.name());
                int at = rest.indexOf(label);
                if (at < 0) {
                    return null;
                }
                parts.put(previous, rest.substring(0, at));
                previous = part.name();
                rest = rest.substring(at + label.length());
            }
            parts.put(previous, rest);
            parts.remove("");
            boolean isExact = parts.values().stream()
                    .allMatch(value ->
                            !value.isEmpty() && labels.values().stream().noneMatch(("_" + value)::contains));
            return isExact ? parts : null;
        }
    }

    private LegacyKeys() {}

    private static Map<String, String> labels() {
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put("user", "usr");
        labels.put("tag", "tag");
        labels.put("target", "tar");
        labels.put("key", "key");
        return labels;
    }

    /** Whether a key begins like one that contains its parts. */
    public static boolean hasLabels(String key) {
        return FORMS.stream().anyMatch(form -> key.startsWith(form.first()));
    }

    /** Returns the parts that a key contains, by their names; empty if it does not have the parts of the template. */
    public static Optional<Map<String, String>> parts(KeyTemplate template, String key) {
        for (Form form : FORMS) {
            if (key.startsWith(form.first())) {
                return Optional.ofNullable(form.split(template, key));
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the entry by which the journal finds the document that an arbitrary legacy key leads to.
     *
     * @param suffix makes the entry unique
     */
    public static IndexEntry entry(DocumentType type, String key, String suffix) {
        return new IndexEntry(BY_LEGACY_KEY, prefix(type, key) + suffix);
    }

    private static String prefix(DocumentType type, String key) {
        return type.name() + "/" + Fingerprint.ofBytes(key.getBytes(UTF_8)).hex() + "/";
    }

    /** Returns the new key of a document; empty if the legacy key leads to none. */
    static Optional<String> resolve(DocumentStore store, DocumentType type, String key) {
        Optional<Map<String, String>> parts = parts(type.key(), key);
        return parts.isPresent() ? fromParts(store, type.key(), parts.get()) : fromJournal(store, type, key);
    }

    private static Optional<String> fromParts(DocumentStore store, KeyTemplate template, Map<String, String> parts) {
        Map<String, String> ids = new LinkedHashMap<>();
        List<String> unassigned = new ArrayList<>();
        parts.forEach((name, text) ->
                LegacyIds.uuid(text).ifPresentOrElse(uuid -> ids.put(name, uuid), () -> unassigned.add(name)));
        if (!unassigned.isEmpty()) {
            Optional<LegacyIds> mapping = LegacyIds.of(store);
            if (mapping.isEmpty()) {
                return Optional.empty();
            }
            unassigned.forEach(name -> ids.put(name, mapping.get().assigned(parts.getOrDefault(name, ""))));
        }
        return Optional.of(template.key(ids));
    }

    private static Optional<String> fromJournal(DocumentStore store, DocumentType type, String key) {
        List<Document> found =
                store.scan(new Scan(JOURNAL, "", BY_LEGACY_KEY, KeyRange.ofPrefix(prefix(type, key)), "", 1));
        return found.stream()
                .map(document -> JsonText.tree(document.data()).path("to").asString())
                .findFirst();
    }
}
