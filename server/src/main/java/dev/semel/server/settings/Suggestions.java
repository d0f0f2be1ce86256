package dev.semel.server.settings;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Error texts for names that users mistype: of commands, options, settings and other choices. */
public final class Suggestions {

    private static final int LONGEST_QUOTE = 100;
    private static final int LONGEST_LIST = 15;

    private Suggestions() {}

    /**
     * Returns "Unknown command 'serv'. Did you mean 'serve'?". If no name is similar, the names are listed, unless they are too many.
     *
     * @param kind what the name is one of, in the singular
     */
    public static String unknown(String kind, String given, Collection<String> names) {
        String fault = "Unknown " + kind + " " + quote(given) + ".";
        List<String> similar = similar(given, names);
        if (!similar.isEmpty()) {
            return fault + " Did you mean "
                    + similar.stream().map(Suggestions::quote).collect(Collectors.joining(" or ")) + "?";
        }
        return names.size() > LONGEST_LIST || names.isEmpty()
                ? fault
                : fault + " Choose one of " + String.join(", ", names) + ".";
    }

    /** Returns the names that are most similar to a mistyped one; empty if none is similar. */
    public static List<String> similar(String given, Collection<String> names) {
        String typed = given.toLowerCase(Locale.ROOT);
        int letters = typed.replaceFirst("^-+", "").length();
        int tolerance = letters < 3 ? letters - 1 : Math.max(1, Math.min(3, letters / 3));
        int nearest = names.stream()
                .mapToInt(name -> distance(typed, name.toLowerCase(Locale.ROOT)))
                .min()
                .orElse(Integer.MAX_VALUE);
        return nearest > tolerance
                ? List.of()
                : names.stream()
                        .filter(name -> distance(typed, name.toLowerCase(Locale.ROOT)) == nearest)
                        .toList();
    }

    /** Returns the number of letters to insert, delete, replace or swap with the next one to get from one word to the other. */
    private static int distance(String from, String to) {
        int[][] steps = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                if (i == 0 || j == 0) {
                    steps[i][j] = i + j;
                    continue;
                }
                boolean same = from.charAt(i - 1) == to.charAt(j - 1);
                int step =
                        Math.min(steps[i - 1][j - 1] + (same ? 0 : 1), 1 + Math.min(steps[i - 1][j], steps[i][j - 1]));
                boolean swapped = i > 1
                        && j > 1
                        && from.charAt(i - 1) == to.charAt(j - 2)
                        && from.charAt(i - 2) == to.charAt(j - 1);
                steps[i][j] = swapped ? Math.min(step, steps[i - 2][j - 2] + 1) : step;
            }
        }
        return steps[from.length()][to.length()];
    }

    /** Returns a text in quotes, shortened if it is long. */
    public static String quote(String text) {
        return text.length() <= LONGEST_QUOTE ? "'" + text + "'" : "'" + text.substring(0, LONGEST_QUOTE) + "…'";
    }
}
