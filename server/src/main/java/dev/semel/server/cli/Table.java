package dev.semel.server.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** A table of text with aligned columns. */
final class Table {

    private final List<List<String>> rows = new ArrayList<>();

    void add(String... cells) {
        rows.add(List.of(cells));
    }

    void print(Terminal terminal, String indent) {
        int columns = rows.get(0).size();
        int[] widths = IntStream.range(0, columns)
                .map(i ->
                        rows.stream().mapToInt(row -> row.get(i).length()).max().orElse(0))
                .toArray();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder(indent);
            for (int i = 0; i < columns; i++) {
                line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 2));
            }
            terminal.println(line.toString().stripTrailing());
        }
    }
}
