package dev.semel.server.openapi;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Generates texts that match a pattern. Supports what the patterns of the description use: characters, sets, groups and quantifiers. */
final class PatternText {

    private static final int MOST_REPEATS = 12;
    private static final String PRINTABLE = printable();

    private final String pattern;
    private final Random random;
    private int at;

    private PatternText(String pattern, Random random) {
        this.pattern = pattern;
        this.random = random;
    }

    /** Returns a text that matches the whole pattern. */
    static String matching(String pattern, Random random) {
        String whole = pattern.substring(pattern.startsWith("^") ? 1 : 0);
        return new PatternText(whole.endsWith("$") ? whole.substring(0, whole.length() - 1) : whole, random)
                .alternatives();
    }

    private static String printable() {
        StringBuilder all = new StringBuilder();
        for (char c = ' '; c < 0x7F; c++) {
            all.append(c);
        }
        return all.toString();
    }

    private String alternatives() {
        List<String> made = new ArrayList<>(List.of(sequence()));
        while (at < pattern.length() && pattern.charAt(at) == '|') {
            at++;
            made.add(sequence());
        }
        return made.get(random.nextInt(made.size()));
    }

    private String sequence() {
        StringBuilder text = new StringBuilder();
        while (at < pattern.length() && pattern.charAt(at) != '|' && pattern.charAt(at) != ')') {
            int from = at;
            String once = one();
            int to = at;
            int times = times();
            int behind = at;
            for (int i = 0; i < times; i++) {
                at = from;
                text.append(i == 0 ? once : one());
                at = to;
            }
            at = behind;
        }
        return text.toString();
    }

    private String one() {
        char c = pattern.charAt(at++);
        switch (c) {
            case '(' -> {
                String text = alternatives();
                at++;
                return text;
            }
            case '[' -> {
                String set = set();
                return String.valueOf(set.charAt(random.nextInt(set.length())));
            }
            case '\\' -> {
                char escaped = pattern.charAt(at++);
                return escaped == 'S' ? "x" : String.valueOf(escaped);
            }
            default -> {
                return String.valueOf(c);
            }
        }
    }

    private String set() {
        boolean negated = pattern.charAt(at) == '^';
        at += negated ? 1 : 0;
        StringBuilder set = new StringBuilder();
        for (char c = pattern.charAt(at++); c != ']'; c = pattern.charAt(at++)) {
            boolean range = pattern.charAt(at) == '-' && pattern.charAt(at + 1) != ']';
            char last = range ? pattern.charAt(at + 1) : c;
            at += range ? 2 : 0;
            for (char each = c; each <= last; each++) {
                set.append(each);
            }
        }
        if (!negated) {
            return set.toString();
        }
        StringBuilder others = new StringBuilder();
        PRINTABLE.chars().filter(c -> set.indexOf(String.valueOf((char) c)) < 0).forEach(c -> others.append((char) c));
        return others.toString();
    }

    private int times() {
        char c = at < pattern.length() ? pattern.charAt(at) : ' ';
        switch (c) {
            case '?' -> {
                at++;
                return random.nextInt(2);
            }
            case '*', '+' -> {
                at++;
                return (c == '+' ? 1 : 0) + random.nextInt(MOST_REPEATS);
            }
            case '{' -> {
                int end = pattern.indexOf('}', at);
                String[] bounds = pattern.substring(at + 1, end).split(",", -1);
                at = end + 1;
                int least = Integer.parseInt(bounds[0]);
                if (bounds.length == 1) {
                    return least;
                }
                int most = bounds[1].isEmpty() ? least + MOST_REPEATS : Integer.parseInt(bounds[1]);
                return random.nextInt(20) == 0
                        ? most
                        : least + random.nextInt(Math.min(most - least, MOST_REPEATS) + 1);
            }
            default -> {
                return 1;
            }
        }
    }
}
