package dev.semel.server.migration;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Paths of members within the data of a document: {@code data.owner}, {@code data.author.id}. */
final class DataPath {

    private static final String DATA = "data.";

    private DataPath() {}

    /** Parses a path that may begin with {@code data.}; empty if a name in it is. */
    static Optional<List<String>> parse(String text) {
        String path = text.startsWith(DATA) ? text.substring(DATA.length()) : text;
        List<String> names = List.of(path.split("\\.", -1));
        return Stream.of(path.split("\\.", -1)).anyMatch(String::isBlank) ? Optional.empty() : Optional.of(names);
    }

    static String text(List<String> path) {
        return DATA + String.join(".", path);
    }
}
