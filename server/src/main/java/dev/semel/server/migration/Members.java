package dev.semel.server.migration;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.json.Json;
import dev.semel.json.MalformedJsonException;
import dev.semel.server.web.JsonText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The members of an object, each with its original bytes, so that a change of one leaves the others as they are. */
final class Members {

    private final Map<String, Json> values = new LinkedHashMap<>();

    Members(Json object) {
        values.putAll(JsonText.members(object));
    }

    Optional<Json> get(String name) {
        return Optional.ofNullable(values.get(name));
    }

    /** Replaces the value of a member. */
    void set(String name, Json value) {
        values.put(name, value);
    }

    /** Renames a member, which stays in its position. If there is one with the new name, that one is replaced. */
    void rename(String from, String to, Json value) {
        List<Map.Entry<String, Json>> old = new ArrayList<>(values.entrySet());
        values.clear();
        for (Map.Entry<String, Json> member : old) {
            if (member.getKey().equals(from)) {
                values.put(to, value);
            } else if (!member.getKey().equals(to)) {
                values.put(member.getKey(), member.getValue());
            }
        }
    }

    /**
     * Returns the object.
     *
     * @throws MalformedJsonException if it is too long
     */
    Json toJson() {
        StringBuilder text = new StringBuilder("{");
        values.forEach((name, value) -> text.append(text.length() == 1 ? "" : ",")
                .append(quoted(name))
                .append(':')
                .append(value.text()));
        return Json.of(text.append('}').toString());
    }

    static String quoted(String text) {
        return new String(JsonText.bytes(JsonText.object().stringNode(text)), UTF_8);
    }

    /** Returns the value at a path; empty if there is none. */
    static Optional<Json> at(Json data, List<String> path) {
        Optional<Json> value = Optional.of(data);
        for (String name : path) {
            value = value.filter(object -> JsonText.tree(object).isObject())
                    .flatMap(object -> JsonText.member(object, name));
        }
        return value;
    }

    /** Returns data with another value at a path, which exists. */
    static Json with(Json data, List<String> path, Json value) {
        if (path.isEmpty()) {
            return value;
        }
        Members members = new Members(data);
        Json old = members.get(path.get(0)).orElseThrow();
        members.set(path.get(0), with(old, path.subList(1, path.size()), value));
        return members.toJson();
    }
}
