package dev.semel.key;

import dev.semel.id.IdFormat;
import dev.semel.id.IdScheme;
import dev.semel.id.IdSchemes;
import dev.semel.id.MalformedException;
import dev.semel.id.TextFormat;
import dev.semel.key.KeyTemplate.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Parses a template, and checks that its keys can be split back. */
final class TemplateParser {

    private static final int MOST_PARTS = 64;

    private final String template;
    private final List<Part> parts = new ArrayList<>();
    private final List<Integer> places = new ArrayList<>();
    private final List<String> literals = new ArrayList<>();

    TemplateParser(String template) {
        this.template = template;
    }

    KeyTemplate parse() {
        int position = literal(0);
        while (position < template.length()) {
            position = literal(part(position));
        }
        if (parts.isEmpty()) {
            throw malformed(-1, "has no part", "at least one, as in usr_{user:uuid4s}");
        }
        for (int i = 0; i < parts.size(); i++) {
            checkSplittable(i);
        }
        return new KeyTemplate(template, parts, literals);
    }

    /** Reads the literal text before the next part, and returns where it ends. */
    private int literal(int start) {
        int end = start;
        while (end < template.length() && template.charAt(end) != '{') {
            char c = template.charAt(end);
            if (c <= ' ' || c > '~' || c == '}') {
                throw malformed(
                        end,
                        c == '}'
                                ? "closes a part that was not opened"
                                : IdFormat.Fault.ofCharacter(template, end).problem(),
                        "printable ASCII without spaces, and parts as in {user:uuid4s}");
            }
            end++;
        }
        literals.add(template.substring(start, end));
        return end;
    }

    /** Reads a part in braces, and returns where it ends. */
    private int part(int start) {
        int end = template.indexOf('}', start);
        if (end < 0) {
            throw malformed(start, "opens a part and does not close it", "a '}'");
        }
        String[] nameAndType = template.substring(start + 1, end).split(":", 2);
        String name = nameAndType[0];
        if (TextFormat.WORD.fault(name) != null) {
            throw malformed(start, "has a part without a proper name", "letters, digits and '_', as in {user:uuid4s}");
        }
        if (parts.size() == MOST_PARTS) {
            throw malformed(start, "has more than " + MOST_PARTS + " parts", "fewer");
        }
        if (parts.stream().anyMatch(part -> part.name().equals(name))) {
            throw malformed(start, "has two parts named " + name, "a name for each");
        }
        String type = nameAndType.length == 1 ? TextFormat.TEXT.name() : nameAndType[1];
        IdFormat format = format(type)
                .orElseThrow(() ->
                        malformed(start, "has no such type as " + MalformedException.quote(type), "one of " + types()));
        parts.add(new Part(name, format));
        places.add(start);
        return end + 1;
    }

    private static Optional<? extends IdFormat> format(String type) {
        Optional<IdScheme> scheme = IdSchemes.named(type);
        return scheme.isPresent() ? scheme : TextFormat.named(type);
    }

    private static String types() {
        return Stream.concat(IdSchemes.all().stream(), TextFormat.all().stream())
                .map(IdFormat::name)
                .collect(Collectors.joining(", "));
    }

    private void checkSplittable(int index) {
        IdFormat format = parts.get(index).format();
        String separator = literals.get(index + 1);
        boolean last = index == parts.size() - 1;
        if (format.isFixedWidth() || (last && separator.isEmpty())) {
            return;
        }
        String part = parts.get(index).name();
        String remedy = "a part of fixed width there, such as {" + part + ":tid62}";
        if (separator.isEmpty()) {
            throw ambiguous(
                    index,
                    "cannot be split back: nothing separates " + part + ", which may be " + format.minLength() + " to "
                            + format.maxLength() + " characters long, from what follows",
                    "a separator, or " + remedy);
        }
        if (KeyTemplate.firstForeign(separator, 0, format) == separator.length()) {
            throw ambiguous(
                    index,
                    "cannot be split back: " + part + " may itself hold '" + separator + "', which follows it",
                    "a separator that " + format.name() + " cannot hold, or " + remedy);
        }
    }

    private KeyTemplate.AmbiguousException ambiguous(int index, String problem, String expected) {
        return new KeyTemplate.AmbiguousException(template, new IdFormat.Fault(places.get(index), problem), expected);
    }

    private MalformedException malformed(int at, String problem, String expected) {
        return new MalformedException("template", template, new IdFormat.Fault(at, problem), expected);
    }
}
