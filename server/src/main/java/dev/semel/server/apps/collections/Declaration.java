package dev.semel.server.apps.collections;

import dev.semel.document.DocumentCollection;
import dev.semel.http.Problem;
import dev.semel.id.IdFormat;
import dev.semel.id.IdScheme;
import dev.semel.id.IdSchemes;
import dev.semel.id.MalformedException;
import dev.semel.id.TextFormat;
import dev.semel.key.KeyTemplate;
import dev.semel.server.web.ProblemException;
import dev.semel.server.web.Request;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The declaration of a collection: the template of its ids, the scheme of minted ids, and its secondary indexes. It can be parsed from a
 * request, and from what {@link #addTo} has stored.
 */
final class Declaration {

    static final String KEY = "key";

    private static final String SCHEME = "scheme";
    private static final String INDEXES = "indexes";

    /** The template of a declaration without one, which accepts any id. */
    private static final String DEFAULT_KEY = "{id}";

    private static final int LONGEST_TEMPLATE = 255;
    private static final int LONGEST_NAME = 60;
    private static final int MOST_INDEXES = 8;

    /** Parameters of the routes of documents. A part with such a name could not be passed as a parameter. */
    private static final Set<String> RESERVED = Set.of("after", "limit", "prefix", "scheme");

    /** Parameters of a list that are no parts. */
    private static final Set<String> OF_LISTS = Set.of("after", "limit", "prefix");

    /** Matches a part of a template that has no type. */
    private static final Pattern UNTYPED = Pattern.compile("\\{(\\w+)}");

    private final KeyTemplate key;
    private final IdScheme scheme;
    private final Map<String, KeyTemplate> indexes;

    /** The templates as they were sent, by the name of the index; that of the key is first. */
    private final Map<String, String> sent;

    private Declaration(KeyTemplate key, IdScheme scheme, Map<String, KeyTemplate> indexes, Map<String, String> sent) {
        this.key = key;
        this.scheme = scheme;
        this.indexes = indexes;
        this.sent = sent;
    }

    /**
     * Parses a declaration.
     *
     * @throws ProblemException if it is malformed, or if a template is ambiguous
     */
    static Declaration of(JsonNode object) {
        Map<String, String> sent = new LinkedHashMap<>();
        String text = Request.optionalText(object, KEY, LONGEST_TEMPLATE).orElse(DEFAULT_KEY);
        sent.put("", text);
        KeyTemplate key = template(KEY, typed(text, part -> TextFormat.TEXT.name()));
        checkKey(key);
        IdScheme scheme = IdSource.scheme(
                Request.optionalText(object, SCHEME, LONGEST_NAME).orElse(IdSchemes.TID62.name()));
        Map<String, KeyTemplate> indexes = new LinkedHashMap<>();
        if (Request.isGiven(object, INDEXES)) {
            JsonNode given = object.get(INDEXES);
            if (!given.isObject() || given.size() > MOST_INDEXES) {
                throw ProblemException.invalid(INDEXES, "must be an object with at most " + MOST_INDEXES + " members");
            }
            for (String name : given.propertyNames()) {
                indexes.put(name, index(name, given, key, indexes));
                sent.put(name, given.get(name).stringValue());
            }
        }
        return new Declaration(key, scheme, indexes, sent);
    }

    private static KeyTemplate index(String name, JsonNode given, KeyTemplate key, Map<String, KeyTemplate> others) {
        if (name.length() > LONGEST_NAME || !TextFormat.TEXT.isValid(name)) {
            throw ProblemException.invalid(
                    INDEXES, "must have names of 1 to " + LONGEST_NAME + " characters of 0-9A-Za-z_-");
        }
        String field = INDEXES + "." + name;
        JsonNode value = given.get(name);
        if (!value.isString() || value.stringValue().length() > LONGEST_TEMPLATE) {
            throw ProblemException.invalid(
                    field, "must be a template of at most " + LONGEST_TEMPLATE + " characters, such as {b}-{a}");
        }
        Map<String, IdFormat> ofKey =
                key.parts().stream().collect(Collectors.toMap(KeyTemplate.Part::name, KeyTemplate.Part::format));
        KeyTemplate index = template(
                field,
                typed(
                        value.stringValue(),
                        part -> ofKey.getOrDefault(part, TextFormat.TEXT).name()));
        if (!Set.copyOf(index.parts()).equals(Set.copyOf(key.parts()))) {
            throw ProblemException.invalid(field, "must have the same parts as the key, with the same types: " + key);
        }
        if (index.equals(key) || others.containsValue(index)) {
            throw ProblemException.invalid(field, "is the same as the key or another index");
        }
        return index;
    }

    /** Writes out the types of parts without a type, so that equal templates have equal texts. */
    private static String typed(String template, Function<String, String> type) {
        return UNTYPED.matcher(template)
                .replaceAll(untyped -> "{" + untyped.group(1) + ":" + type.apply(untyped.group(1)) + "}");
    }

    private static KeyTemplate template(String field, String text) {
        try {
            return KeyTemplate.of(text);
        } catch (KeyTemplate.AmbiguousException e) {
            throw new ProblemException(Problem.of(400, "ambiguous_template", "ambiguous_template")
                    .detailed(field + " " + e.problem() + "; expected " + e.expected())
                    .with("field", field));
        } catch (MalformedException e) {
            throw ProblemException.invalid(field, e.problem() + "; expected " + e.expected());
        }
    }

    private static void checkKey(KeyTemplate key) {
        for (KeyTemplate.Part part : key.parts()) {
            if (RESERVED.contains(part.name())) {
                throw ProblemException.invalid(
                        KEY, "has a part named " + part.name() + ", which is the name of a parameter of requests");
            }
        }
        for (char c : key.alphabet().toCharArray()) {
            if (TextFormat.TEXT.alphabet().indexOf(c) < 0) {
                throw ProblemException.invalid(KEY, "has a '" + c + "', which ids cannot contain");
            }
        }
        if (key.minLength() > TextFormat.TEXT.maxLength()) {
            throw ProblemException.invalid(
                    KEY, "makes ids that are longer than " + TextFormat.TEXT.maxLength() + " characters");
        }
    }

    /** Whether another declaration means the same, although templates may omit types, and indexes may be in another order. */
    boolean isSameAs(Declaration other) {
        return key.equals(other.key) && scheme == other.scheme && indexes.equals(other.indexes);
    }

    /** Returns the collection of the documents. */
    DocumentCollection collection(String name) {
        return DocumentCollection.of(name, key, indexes.values().toArray(new KeyTemplate[0]));
    }

    /** Adds the declaration to an object, as it was sent. */
    void addTo(ObjectNode object) {
        object.put(KEY, sent.get("")).put(SCHEME, scheme.name());
        ObjectNode templates = object.putObject(INDEXES);
        indexes.keySet().forEach(name -> templates.put(name, sent.get(name)));
    }

    /**
     * Rejects an id that does not match the template.
     *
     * @throws ProblemException naming the part
     */
    String check(String id) {
        try {
            key.parse(id);
            return id;
        } catch (MalformedException e) {
            throw invalidId(e);
        }
    }

    private ProblemException invalidId(MalformedException e) {
        boolean isPart = key.parts().stream().anyMatch(part -> part.name().equals(e.field()));
        return invalidId(isPart ? e.field() : "id", e.problem() + "; expected " + e.expected());
    }

    /** Returns the rejection of an id. */
    static ProblemException invalidId(String field, String fault) {
        return new ProblemException(Problem.of(400, "invalid_id", "invalid_id")
                .detailed(field + " " + fault)
                .with("field", field));
    }

    /** Returns the leading parts of the key and of each index, by which documents can be listed. */
    List<Set<String>> scannable() {
        return collection("any").queries();
    }

    /** Returns the scheme with which the last part is minted, unless a request selects another. */
    IdScheme scheme() {
        return last().format() instanceof IdScheme ofPart && ofPart != IdSchemes.DAY_NONCE ? ofPart : scheme;
    }

    private KeyTemplate.Part last() {
        return key.parts().get(key.parts().size() - 1);
    }

    /**
     * Returns the parameters that are parts of the key.
     *
     * @param query the parameters of a request
     */
    Map<String, String> parts(Map<String, String> query) {
        Map<String, String> parts = new LinkedHashMap<>();
        for (KeyTemplate.Part part : key.parts()) {
            if (query.containsKey(part.name())) {
                parts.put(part.name(), query.get(part.name()));
            }
        }
        return parts;
    }

    /**
     * Returns new ids, of which the last part is minted.
     *
     * @param first the other parts
     * @throws ProblemException if a part is missing or malformed, also thrown by the supplier if the scheme does not match the last part
     */
    Supplier<String> ids(Map<String, String> first, IdScheme scheme) {
        String minted = last().name();
        if (first.containsKey(minted)) {
            throw ProblemException.invalid(minted, "is minted; use PUT to choose the whole id");
        }
        for (KeyTemplate.Part part : key.parts().subList(0, key.parts().size() - 1)) {
            try {
                part.format().check(part.name(), first.get(part.name()));
            } catch (MalformedException e) {
                throw invalidId(e);
            }
        }
        return () -> {
            Map<String, String> all = new LinkedHashMap<>(first);
            all.put(minted, scheme.mint());
            try {
                return TextFormat.TEXT.check("id", key.key(all));
            } catch (MalformedException e) {
                throw invalidId(e);
            }
        };
    }

    /**
     * Returns the parts by which a request lists documents.
     *
     * @param query the parameters of the request
     * @throws ProblemException if there are parameters that are no leading parts of the key or of an index
     */
    Map<String, String> scanned(Map<String, String> query) {
        Map<String, String> parts = new LinkedHashMap<>(query);
        parts.keySet().removeAll(OF_LISTS);
        List<Set<String>> scannable = scannable();
        if (!parts.isEmpty() && !scannable.contains(parts.keySet())) {
            throw ProblemException.notScannable(parts.keySet(), scannable);
        }
        return parts;
    }
}
