package dev.semel.server.docs;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The phrases and names that this project does not use, each with its replacement, from {@code vocabulary.txt}.
 *
 * @param phrases not allowed in names and prose
 * @param idioms not allowed in prose
 * @param types not allowed as simple names of types
 */
record Vocabulary(Map<String, String> phrases, Map<String, String> idioms, Map<String, String> types) {

    /**
     * A phrase that is not allowed.
     *
     * @param line index of the line in which the phrase ends
     */
    record Fault(int line, String text) {}

    static Vocabulary read() {
        Map<String, Map<String, String>> sections = new LinkedHashMap<>();
        Map<String, String> section = new LinkedHashMap<>();
        for (String line : text().lines().toList()) {
            if (line.startsWith("[")) {
                section = sections.computeIfAbsent(line, name -> new LinkedHashMap<>());
            } else if (!line.isBlank() && !line.startsWith("#")) {
                String[] entry = line.split(" = ", 2);
                if (section.put(entry[0], entry[1]) != null) {
                    throw new IllegalStateException("listed twice: " + entry[0]);
                }
            }
        }
        return new Vocabulary(
                Objects.requireNonNull(sections.get("[phrases]")),
                Objects.requireNonNull(sections.get("[idioms]")),
                Objects.requireNonNull(sections.get("[types]")));
    }

    private static String text() {
        try (InputStream in = Vocabulary.class.getResourceAsStream("vocabulary.txt")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    List<Fault> inName(String name) {
        return find(phrases, List.of(name)).toList();
    }

    List<Fault> inType(String name) {
        String replacement = types.get(name);
        return replacement == null ? inName(name) : List.of(new Fault(0, name + "; write: " + replacement));
    }

    /** Returns the faults of consecutive lines. A phrase may span lines. */
    List<Fault> inProse(List<String> lines) {
        return Stream.of(phrases, idioms)
                .flatMap(entries -> find(entries, lines))
                .toList();
    }

    private static Stream<Fault> find(Map<String, String> entries, List<String> lines) {
        String words = words(String.join(" ", lines));
        List<Fault> faults = new ArrayList<>();
        entries.forEach((phrase, replacement) -> {
            if (contains(words, phrase)) {
                int line = lineOf(phrase, lines);
                String shown = lines.get(line).strip();
                faults.add(new Fault(
                        line,
                        "\"" + phrase + "\" in " + (shown.length() > 80 ? shown.substring(0, 80) + "…" : shown)
                                + "; write: " + replacement));
            }
        });
        return faults.stream();
    }

    private static int lineOf(String phrase, List<String> lines) {
        int line = 0;
        while (!contains(words(String.join(" ", lines.subList(0, line + 1))), phrase)) {
            line++;
        }
        return line;
    }

    private static boolean contains(String words, String phrase) {
        return words.contains(" " + phrase + " ");
    }

    /**
     * Returns lower-case words between single spaces, so {@code fooBar_baz}, {@code FOO_BAR_BAZ} and "foo bar, baz" are equal. Sentences
     * and table cells are separated by {@code |}.
     */
    private static String words(String text) {
        String spaced = text.replaceAll("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ")
                .replaceAll("[.:;!?](?![A-Za-z0-9/_-])|\\|", " STOP ")
                .replaceAll("[^A-Za-z0-9]+", " ")
                .replace("STOP", "|");
        return " " + spaced.strip().toLowerCase(Locale.ROOT) + " ";
    }
}
