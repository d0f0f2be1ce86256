package dev.semel.server.migration;

import java.util.List;
import java.util.Optional;

/**
 * What happens to documents that get the same key.
 *
 * @param kind the rule
 * @param field the path of the summed number within the data; empty for other rules
 */
public record MergeRule(Kind kind, List<String> field) {

    /** The accepted rules, for help and errors. */
    public static final String FORMS = "newest, sum:FIELD or list";

    /** The default: nothing is merged. */
    public static final MergeRule LIST = new MergeRule(Kind.LIST, List.of());

    private static final String SUM = "sum:";

    /** What happens to documents with the same new key. */
    public enum Kind {
        /** The latest document stays: by the time of its update, then by its version, then by its position in the source. */
        NEWEST,
        /** The latest document stays, with the sum of a number of all. */
        SUM,
        /** The first document stays, and the others are listed. */
        LIST
    }

    /** Parses a rule; empty if the text is none. */
    public static Optional<MergeRule> parse(String text) {
        if (text.startsWith(SUM)) {
            return DataPath.parse(text.substring(SUM.length())).map(field -> new MergeRule(Kind.SUM, field));
        }
        return switch (text) {
            case "newest" -> Optional.of(new MergeRule(Kind.NEWEST, List.of()));
            case "list" -> Optional.of(LIST);
            default -> Optional.empty();
        };
    }

    @Override
    public String toString() {
        return switch (kind) {
            case NEWEST -> "newest";
            case LIST -> "list";
            case SUM -> SUM + String.join(".", field);
        };
    }
}
