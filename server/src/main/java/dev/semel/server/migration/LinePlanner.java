package dev.semel.server.migration;

import dev.semel.id.MalformedException;
import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.json.MalformedJsonException;
import dev.semel.key.KeyTemplate;
import dev.semel.server.apps.reputation.DocumentType;
import dev.semel.server.apps.reputation.LegacyIds;
import dev.semel.server.apps.reputation.LegacyKeys;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.ProblemException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Parses lines, and finds the new keys and the new data of their documents. */
final class LinePlanner {

    private static final Set<String> MEMBERS = Set.of("collection", "key", "version", "createdAt", "updatedAt", "data");
    private static final int LONGEST_KEY = 1024;

    /** The greatest whole number that every reader of JSON holds. It leaves room for all updates that follow. */
    private static final long HIGHEST_VERSION = (1L << 53) - 1;

    private static final String USER = "user";
    private static final String OWNER = "owner";
    private static final Instant FIRST_TIME =
            OffsetDateTime.of(1, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC).toInstant();
    private static final Instant LAST_TIME =
            OffsetDateTime.of(9999, 12, 31, 23, 59, 59, 0, ZoneOffset.UTC).toInstant();

    private final PartMapping map;
    private final LegacyIds ids;

    LinePlanner(PartMapping map, LegacyIds ids) {
        this.map = map;
        this.ids = ids;
    }

    Planned plan(SourceLine line) {
        DocumentType type = null;
        String legacyKey = null;
        try {
            Json json = parsed(line);
            JsonNode tree = JsonText.tree(json);
            if (!tree.isObject()) {
                throw new LineException("the line is not a JSON object");
            }
            JsonNode key = tree.path("key");
            legacyKey = key.isString() ? key.asString() : null;
            type = type(tree);
            rejectUnknownMembers(tree);
            return copy(line, type, checkedKey(tree), json, tree);
        } catch (LineException e) {
            return new Planned.LeftOut(line, type, legacyKey, e.reason());
        } catch (ProblemException e) {
            return new Planned.LeftOut(line, type, legacyKey, "a number has too many digits");
        }
    }

    private static Json parsed(SourceLine line) {
        if (line.cut()) {
            throw new LineException("the line has more than " + SourceLine.LONGEST + " bytes");
        }
        try {
            return Json.of(line.bytes());
        } catch (MalformedJsonException e) {
            throw new LineException("the line is not JSON: column " + e.column() + ": " + e.problem());
        }
    }

    private static DocumentType type(JsonNode tree) {
        JsonNode type = tree.path("collection");
        if (type.isMissingNode()) {
            throw new LineException("collection is missing");
        }
        return Optional.of(type)
                .filter(JsonNode::isString)
                .flatMap(name -> DocumentType.named(name.asString()))
                .orElseThrow(() -> new LineException("collection must be one of " + DocumentType.ALL));
    }

    private static void rejectUnknownMembers(JsonNode tree) {
        for (String name : tree.propertyNames()) {
            if (!MEMBERS.contains(name)) {
                throw new LineException("the line has an unknown member " + MalformedException.quote(name));
            }
        }
    }

    private static String checkedKey(JsonNode tree) {
        JsonNode key = tree.path("key");
        if (key.isMissingNode()) {
            throw new LineException("key is missing");
        }
        String text = key.isString() ? key.asString() : "";
        if (text.isEmpty() || text.length() > LONGEST_KEY) {
            throw new LineException("key must be a text of 1 to " + LONGEST_KEY + " characters");
        }
        return text;
    }

    private Planned.Copy copy(SourceLine line, DocumentType type, String legacyKey, Json json, JsonNode tree) {
        Json data = JsonText.member(json, "data").orElseThrow(() -> new LineException("data is missing"));
        JsonNode dataTree = tree.path("data");
        KeyTemplate template = type.key();
        Optional<Map<String, String>> contained = containedParts(type, template, legacyKey);
        Map<String, String> parts = contained.orElseGet(() -> map.parts(type, legacyKey, dataTree));
        Map<String, String> assigned = new LinkedHashMap<>();
        parts.forEach((name, text) -> assigned.put(name, ids.assigned(text)));
        Instant createdAt = time(tree, "createdAt");
        Instant updatedAt = time(tree, "updatedAt");
        if (createdAt != null && updatedAt != null && updatedAt.isBefore(createdAt)) {
            throw new LineException("updatedAt is before createdAt");
        }
        Json newData = renamedOwner(data, dataTree, assigned.getOrDefault(USER, ""));
        return new Planned.Copy(
                line,
                type,
                legacyKey,
                template.key(assigned),
                version(tree),
                createdAt,
                updatedAt,
                newData,
                Fingerprint.ofBytes(newData.bytes()));
    }

    private static Optional<Map<String, String>> containedParts(DocumentType type, KeyTemplate template, String key) {
        Optional<Map<String, String>> parts = LegacyKeys.parts(template, key);
        if (parts.isEmpty() && LegacyKeys.hasLabels(key)) {
            throw new LineException("the key fits no form of " + type + ", such as " + template.name());
        }
        return parts;
    }

    private static long version(JsonNode tree) {
        JsonNode version = tree.path("version");
        if (version.isMissingNode()) {
            return 1;
        }
        if (!version.isIntegralNumber() || version.bigIntegerValue().signum() < 1) {
            throw new LineException("version must be a whole number from 1 on");
        }
        if (!version.canConvertToLong() || version.asLong() > HIGHEST_VERSION) {
            throw new LineException("version must be at most " + HIGHEST_VERSION);
        }
        return version.asLong();
    }

    private static @Nullable Instant time(JsonNode tree, String name) {
        JsonNode time = tree.path(name);
        if (time.isMissingNode()) {
            return null;
        }
        try {
            Instant parsed =
                    OffsetDateTime.parse(time.isString() ? time.asString() : "").toInstant();
            if (!parsed.isBefore(FIRST_TIME) && !parsed.isAfter(LAST_TIME)) {
                return parsed;
            }
        } catch (DateTimeException e) {
            // reported below
        }
        throw new LineException(name + " must be a time such as 2026-01-07T12:00:00Z");
    }

    /**
     * Renames {@code owner} to {@code user}. If its text is the id of the user in the key, its value becomes that user's UUID, so that the
     * document agrees with its key. Any other value is kept.
     */
    private Json renamedOwner(Json data, JsonNode tree, String user) {
        JsonNode owner = tree.path(OWNER);
        JsonNode given = tree.path(USER);
        if (!tree.isObject() || (owner.isMissingNode() && given.isMissingNode())) {
            return data;
        }
        if (!owner.isMissingNode() && !given.isMissingNode() && !sameId(owner, given)) {
            throw new LineException("data.owner and data.user differ");
        }
        String from = owner.isMissingNode() ? USER : OWNER;
        JsonNode value = tree.path(from);
        boolean isUser = value.isString() && ids.assigned(value.asString()).equals(user);
        if (from.equals(USER) && (!isUser || value.asString().equals(user))) {
            return data;
        }
        Members members = new Members(data);
        members.rename(
                from,
                USER,
                isUser ? Json.of('"' + user + '"') : members.get(from).orElseThrow());
        return members.toJson();
    }

    private boolean sameId(JsonNode owner, JsonNode user) {
        return owner.equals(user)
                || (owner.isString()
                        && user.isString()
                        && ids.assigned(owner.asString()).equals(ids.assigned(user.asString())));
    }
}
