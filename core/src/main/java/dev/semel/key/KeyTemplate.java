package dev.semel.key;

import dev.semel.id.IdFormat;
import dev.semel.id.MalformedException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A template of composed keys: {@code usr_{user:uuid4s}_tag_{tag:uuid4s}}.
 *
 * <p>A part is written {@code {name:type}}. Its type is a scheme ({@code tid62}, {@code uuid4s}, …) or a text format ({@code text},
 * {@code word}, {@code hex}); {@code {name}} is short for {@code {name:text}}. The text between the parts is literal.
 *
 * <p>A template is checked when it is declared: <em>every key that can be built can be split back, in one way only</em>. Therefore each part
 * must have a fixed width, be followed by a separator with a character that the part cannot contain, or be the last. The same rule implies
 * that values of the first parts determine an exact range of keys in byte order, so a query for them reads those keys and no others.
 */
public final class KeyTemplate implements IdFormat {

    private final String template;
    private final List<Part> parts;

    /** The literal text before each part, and after the last. */
    private final List<String> literals;

    KeyTemplate(String template, List<Part> parts, List<String> literals) {
        this.template = template;
        this.parts = List.copyOf(parts);
        this.literals = List.copyOf(literals);
    }

    /**
     * A part of a key template.
     *
     * @param name the name of the part
     * @param format the format of its values
     */
    public record Part(String name, IdFormat format) {}

    /** Thrown if the keys of a template could not be split back. */
    public static final class AmbiguousException extends MalformedException {

        private static final long serialVersionUID = 1L;

        AmbiguousException(String template, Fault fault, String expected) {
            super("template", template, fault, expected);
        }
    }

    /**
     * Parses and checks a template.
     *
     * @throws AmbiguousException if keys could not be split back. The message names the place and a remedy
     * @throws MalformedException if the syntax is wrong. The message names the place
     */
    public static KeyTemplate of(String template) {
        return new TemplateParser(template).parse();
    }

    /** Returns the parts in their order. */
    public List<Part> parts() {
        return parts;
    }

    /**
     * Builds a key.
     *
     * @param values the value of each part, by its name
     * @throws MalformedException if a value is missing or malformed
     * @throws IllegalArgumentException if there is a value for a part that the template does not have
     */
    public String key(Map<String, String> values) {
        rejectUnknown(values);
        return leading(parts.size(), values);
    }

    /**
     * Splits a key.
     *
     * @return the value of each part, by its name, in the order of the template
     * @throws MalformedException naming the part, its index in the key and what was expected
     */
    public Map<String, String> parse(@Nullable String key) {
        String[] values = new String[parts.size()];
        Flaw flaw = split(key, values);
        if (flaw != null) {
            throw flaw.part == null
                    ? new MalformedException("key", flaw.value, flaw.fault, expected())
                    : new MalformedException(
                            flaw.part.name(),
                            flaw.value,
                            flaw.fault,
                            flaw.part.format().expected());
        }
        Map<String, String> byName = new LinkedHashMap<>();
        for (int i = 0; i < values.length; i++) {
            byName.put(parts.get(i).name(), values[i]);
        }
        return Collections.unmodifiableMap(byName);
    }

    /**
     * Returns the range of all keys whose first parts have given values. Without values it is the range of all keys; with values of all
     * parts, that of one key.
     *
     * @throws MalformedException if a value is malformed
     * @throws IllegalArgumentException if the values are not those of the first parts. The message lists the possible ranges
     */
    public KeyRange range(Map<String, String> values) {
        rejectUnknown(values);
        int fixed = 0;
        while (fixed < parts.size() && values.containsKey(parts.get(fixed).name())) {
            fixed++;
        }
        if (fixed < values.size()) {
            throw new IllegalArgumentException("No range of " + template + " is fixed by " + values.keySet()
                    + "; it takes its first parts: " + scannable());
        }
        String prefix = leading(fixed, values);
        return fixed == parts.size() ? KeyRange.ofKey(prefix) : KeyRange.ofPrefix(prefix);
    }

    /** Returns the prefixes that can be scanned, from the shortest to all parts but the last: {@code usr_{user}_tag_}. */
    public List<String> prefixes() {
        Map<String, String> placeholders =
                parts.stream().map(Part::name).collect(Collectors.toMap(name -> name, name -> "{" + name + "}"));
        return IntStream.range(0, parts.size())
                .mapToObj(count -> join(count, placeholders))
                .toList();
    }

    private String scannable() {
        return IntStream.range(0, parts.size() + 1)
                .mapToObj(count ->
                        parts.subList(0, count).stream().map(Part::name).toList())
                .map(List::toString)
                .collect(Collectors.joining(", "));
    }

    private void rejectUnknown(Map<String, String> values) {
        for (String name : values.keySet()) {
            if (parts.stream().noneMatch(part -> part.name().equals(name))) {
                throw new IllegalArgumentException(template + " has no part named " + MalformedException.quote(name));
            }
        }
    }

    /** Returns the prefix of a key with its first parts and the literal after them. */
    private String leading(int count, Map<String, String> values) {
        for (Part part : parts.subList(0, count)) {
            part.format().check(part.name(), values.get(part.name()));
        }
        return join(count, values);
    }

    private String join(int count, Map<String, String> values) {
        StringBuilder joined = new StringBuilder(literals.get(0));
        for (int i = 0; i < count; i++) {
            joined.append(values.get(parts.get(i).name())).append(literals.get(i + 1));
        }
        return joined.toString();
    }

    /** Why a key cannot be split: a malformed part, or, if that is null, a fault in the literal text. */
    private record Flaw(@Nullable Part part, @Nullable String value, Fault fault) {}

    private @Nullable Flaw split(@Nullable String key, @Nullable String[] values) {
        if (key == null) {
            return new Flaw(null, null, Fault.missing());
        }
        if (!key.startsWith(literals.get(0))) {
            return new Flaw(null, key, new Fault(0, "does not begin with " + literals.get(0)));
        }
        int start = literals.get(0).length();
        for (int i = 0; i < parts.size(); i++) {
            Part part = parts.get(i);
            String literal = literals.get(i + 1);
            int end = end(key, start, part.format(), literal);
            if (end < start || end > key.length() || !part.format().isValid(key.substring(start, end))) {
                return partFlaw(key, start, part, literal);
            }
            if (!key.startsWith(literal, end)) {
                return new Flaw(null, key, new Fault(end, "lacks " + literal + " after " + part.name()));
            }
            values[i] = key.substring(start, end);
            start = end + literal.length();
        }
        return start == key.length() ? null : new Flaw(null, key, new Fault(start, "continues after its last part"));
    }

    /** Returns where a part ends. If the key is malformed, this can be before the start of the part or beyond the end of the key. */
    private static int end(String key, int start, IdFormat format, String literal) {
        if (format.isFixedWidth()) {
            return start + format.minLength();
        }
        if (literal.isEmpty()) {
            return key.length();
        }
        int foreign = firstForeign(literal, 0, format);
        return firstForeign(key, start, format) - foreign;
    }

    /** Returns the index of the first character that a format cannot contain, or the length of the text. */
    static int firstForeign(String text, int from, IdFormat format) {
        String alphabet = format.alphabet();
        int i = from;
        while (i < text.length() && alphabet.indexOf(text.charAt(i)) >= 0) {
            i++;
        }
        return i;
    }

    /** Returns the flaw of a part. If its end cannot be determined, its value extends to the next occurrence of the literal after it. */
    private static Flaw partFlaw(String key, int start, Part part, String literal) {
        int end = start + part.format().minLength();
        boolean endsWhereItShould = part.format().isFixedWidth() && end <= key.length() && key.startsWith(literal, end);
        if (!endsWhereItShould) {
            int next = literal.isEmpty() ? -1 : key.indexOf(literal, start);
            end = next < 0 ? key.length() : next;
        }
        String value = key.substring(Math.min(start, end), end);
        Fault fault = part.format().fault(value);
        if (fault == null) {
            fault = new Fault(-1, "is not followed by " + literal);
        }
        return new Flaw(part, value, new Fault(start + Math.max(0, fault.at()), fault.problem()));
    }

    @Override
    public @Nullable Fault fault(@Nullable String text) {
        Flaw flaw = split(text, new String[parts.size()]);
        if (flaw == null || flaw.part == null) {
            return flaw == null ? null : flaw.fault;
        }
        return new Fault(
                flaw.fault.at(),
                "has a " + flaw.part.name() + " that " + flaw.fault.problem() + " (expected "
                        + flaw.part.format().expected() + ")");
    }

    /** Returns the text of the template. */
    @Override
    public String name() {
        return template;
    }

    @Override
    public int minLength() {
        return literals.stream().mapToInt(String::length).sum()
                + parts.stream().mapToInt(part -> part.format().minLength()).sum();
    }

    @Override
    public int maxLength() {
        return literals.stream().mapToInt(String::length).sum()
                + parts.stream().mapToInt(part -> part.format().maxLength()).sum();
    }

    @Override
    public String alphabet() {
        String all = String.join("", literals)
                + parts.stream().map(part -> part.format().alphabet()).collect(Collectors.joining());
        return all.chars().distinct().sorted().mapToObj(Character::toString).collect(Collectors.joining());
    }

    @Override
    public String expected() {
        return "the form " + template;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof KeyTemplate that && template.equals(that.template);
    }

    @Override
    public int hashCode() {
        return template.hashCode();
    }

    @Override
    public String toString() {
        return template;
    }
}
