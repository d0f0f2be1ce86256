package dev.semel.id;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of ids that a system has: who mints each, what it looks like, how long it lives. Ids are minted by kind, so that
 * none is made for one kind and used for another, and checked by kind where they come in.
 */
public final class IdRegistry {

    /**
     * A kind of thing that has ids.
     *
     * @param name what its ids are called: {@code tableId}
     * @param formats what its ids may look like; the first is what is minted
     * @param mintedBy who makes them
     * @param lifetime how long one stays in use
     * @param purpose what one identifies
     */
    public record IdKind(String name, List<IdFormat> formats, String mintedBy, String lifetime, String purpose) {

        /** Refuses a kind without a format. */
        public IdKind {
            formats = List.copyOf(formats);
            if (formats.isEmpty()) {
                throw new IllegalArgumentException(name + " has no format");
            }
        }

        /**
         * Makes a new id of this kind.
         *
         * @throws IllegalStateException if such ids are not minted, but composed or chosen
         */
        public String mint() {
            if (formats.get(0) instanceof IdScheme scheme) {
                return scheme.mint();
            }
            throw new IllegalStateException(
                    name + " is not minted: it is " + formats.get(0).expected());
        }

        /**
         * Checks an id that comes from outside. Formats without capital letters are read in either case, as people and other
         * systems write them; what is returned, and should be kept, is canonical.
         *
         * @param field what the id is called where it came from
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
                    nearest = fault; // what is wrong furthest in is what was most likely meant
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
