package dev.semel.id;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of ids that a system has: who mints each, what it looks like, how long it lives. Ids are minted by kind, so that
 * none is made for one kind and used for another, and checked by kind where they come in.
 */
public final class IdRegistry {

    private final Map<String, IdKind> kinds = new LinkedHashMap<>();

    /**
     * Registers kinds.
     *
     * @throws IllegalArgumentException if two of them have the same name
     */
    public IdRegistry(List<IdKind> kinds) {
        for (IdKind kind : kinds) {
            if (this.kinds.put(kind.name(), kind) != null) {
                throw new IllegalArgumentException("Two kinds are named " + kind.name());
            }
        }
    }

    /** All kinds, in the order they were registered. */
    public List<IdKind> kinds() {
        return List.copyOf(kinds.values());
    }

    /**
     * The kind with a given name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public IdKind kind(String name) {
        IdKind kind = kinds.get(name);
        if (kind == null) {
            throw new IllegalArgumentException("No kind is named " + name + "; there are " + kinds.keySet());
        }
        return kind;
    }

    /** Makes a new id of a kind. */
    public String mint(String kind) {
        return kind(kind).mint();
    }

    /** Checks an id that came in under the name of its kind, and returns it in its canonical spelling. */
    public String accept(String kind, @Nullable String value) {
        return kind(kind).accept(kind, value);
    }
}
