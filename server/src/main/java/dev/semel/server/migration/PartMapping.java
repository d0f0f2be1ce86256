package dev.semel.server.migration;

import dev.semel.key.KeyTemplate;
import dev.semel.server.apps.reputation.DocumentType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * The members of a document's data that have the parts of its key, for legacy keys that do not contain them. The defaults are
 * {@code data.user} or {@code data.owner}, {@code data.tag} and {@code data.target}. The part that identifies the document itself is the
 * legacy key if the data does not have it: the user of a user, the tag of a tag, the key of a vote.
 */
public final class PartMapping {

    /** The form of a mapping, for help and errors. */
    public static final String FORM = "user=data.owner,tag=data.tag,target=data.target";

    /** The mapping of the defaults. */
    public static final PartMapping DEFAULT = new PartMapping(Map.of());

    private static final Map<String, List<List<String>>> DEFAULTS = Map.of(
            "user", List.of(List.of("user"), List.of("owner")),
            "tag", List.of(List.of("tag")),
            "target", List.of(List.of("target")),
            "key", List.of());

    private final Map<String, List<String>> paths;

    private PartMapping(Map<String, List<String>> paths) {
        this.paths = paths;
    }

    /** Parses a mapping such as {@value #FORM}; empty if it is malformed. */
    public static Optional<PartMapping> parse(String text) {
        Map<String, List<String>> paths = new TreeMap<>();
        for (String pair : text.split(",", -1)) {
            int equals = pair.indexOf('=');
            String part = equals < 0 ? "" : pair.substring(0, equals);
            Optional<List<String>> path = DataPath.parse(pair.substring(equals + 1));
            if (!DEFAULTS.containsKey(part) || path.isEmpty() || paths.put(part, path.get()) != null) {
                return Optional.empty();
            }
        }
        return Optional.of(new PartMapping(paths));
    }

    /**
     * Returns the parts of a key as the source has them.
     *
     * @throws LineException if a part is missing or not a text
     */
    Map<String, String> parts(DocumentType type, String legacyKey, JsonNode data) {
        Map<String, String> parts = new LinkedHashMap<>();
        for (KeyTemplate.Part part : type.key().parts()) {
            parts.put(part.name(), part(type, part.name(), legacyKey, data));
        }
        return parts;
    }

    private String part(DocumentType type, String part, String legacyKey, JsonNode data) {
        for (List<String> path : paths(part)) {
            JsonNode value = data;
            for (String name : path) {
                value = value.path(name);
            }
            if (!value.isMissingNode() && !value.isNull()) {
                return LineException.checkedPart(DataPath.text(path), value);
            }
        }
        if (!paths.containsKey(part) && part.equals(type.minted())) {
            return legacyKey;
        }
        String members = paths(part).stream().map(DataPath::text).collect(Collectors.joining(" or "));
        throw new LineException("the key does not contain its parts, and its " + part + " is missing: " + members);
    }

    private List<List<String>> paths(String part) {
        List<String> path = paths.get(part);
        return path == null ? DEFAULTS.getOrDefault(part, List.of()) : List.of(path);
    }

    /** Returns the given mapping in a fixed order; empty if there is none. */
    @Override
    public String toString() {
        return paths.entrySet().stream()
                .map(path -> path.getKey() + "=" + DataPath.text(path.getValue()))
                .collect(Collectors.joining(","));
    }
}
