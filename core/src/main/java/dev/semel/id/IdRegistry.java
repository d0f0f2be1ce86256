package dev.semel.id;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of ids in a system: who mints each kind, what its ids look like, and how long they live. Ids are minted by kind, and checked by
 * kind where they come in, so that no id of one kind is used as another.
 */
public final class IdRegistry {

    /**
     * A kind of id.
     *
     * @param name the name of its ids, such as {@code tableId}
     * @param formats the formats of its ids; the first one is minted
     * @param mintedBy the system that mints its ids
     * @param lifetime how long an id stays in use
     * @param purpose what an id identifies
     */
    public record IdKind(String name, List<IdFormat> formats, String mintedBy, String lifetime, String purpose) {

        /** Rejects a kind without a format. */
        public IdKind {
            formats = List.copyOf(formats);
            if (formats.isEmpty()) {
                throw new IllegalArgumentException(name + " has no format");
            }
        }

        /** Returns the names of its formats, the one that is minted first: {@code uuid4 or text}. */
        public String scheme() {
            return formats.stream().map(IdFormat::name).collect(Collectors.joining(" or "));
        }

        /**
         * Mints an id of this kind.
         *
         * @throws IllegalStateException if ids of this kind are composed or chosen, and not minted
         */
        public String mint() {
            if (formats.get(0) instanceof IdScheme scheme) {
                return scheme.mint();
            }
            throw new IllegalStateException(
                    name + " is not minted: it is " + formats.get(0).expected());
        }

        /**
         * Checks an id from outside, and returns its canonical form, which should be stored. Formats without capital letters are read in
         * either case.
         *
         * @param field the name of the id in its request
         * @throws MalformedException naming the field, its value and what was expected
         */
        public String accept(String field, @Nullable String value) {
            IdFormat.Fault nearest = null;
            for (IdFormat format : formats) {
                String folded = value == null ? null : folded(value, format);
                IdFormat.Fault fault = format.fault(folded);
                if (folded != null && fault == null) {
                    return folded;
                }
                if (fault != null && (nearest == null || fault.at() > nearest.at())) {
                    nearest = fault; // the format that matches furthest is most likely the intended one
                }
            }
            if (nearest == null) {
                throw new AssertionError(field);
            }
            String expected = formats.stream().map(IdFormat::expected).collect(Collectors.joining("; or "));
            throw new MalformedException(field, value, nearest, expected);
        }

        private static String folded(String value, IdFormat format) {
            if (value.length() > format.maxLength() || format.alphabet().chars().anyMatch(c -> c >= 'A' && c <= 'Z')) {
                return value;
            }
            StringBuilder folded = new StringBuilder(value);
            for (int i = 0; i < folded.length(); i++) {
                char c = folded.charAt(i);
                if (c >= 'A' && c <= 'Z') {
                    folded.setCharAt(i, (char) (c + ('a' - 'A')));
                }
            }
            return folded.toString();
        }
    }

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

    /** Returns all kinds in the order of their registration. */
    public List<IdKind> kinds() {
        return List.copyOf(kinds.values());
    }

    /**
     * Returns the kind with a given name.
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

    /**
     * Returns a new id of a kind.
     *
     * @throws IllegalArgumentException if there is no such kind
     */
    public String mint(String kind) {
        return kind(kind).mint();
    }

    /** Checks an id from outside that has the name of its kind, and returns its canonical form. */
    public String accept(String kind, @Nullable String value) {
        return kind(kind).accept(kind, value);
    }
}
