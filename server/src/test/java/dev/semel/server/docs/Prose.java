package dev.semel.server.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds the prose in the repository's files. */
final class Prose {

    /** Also matches literals, because they may contain comment markers. The group captures comments. */
    private static final Pattern JAVA_COMMENT = Pattern.compile("\"\"\"[\\s\\S]*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*+\""
            + "|'(?:\\\\.|[^'\\\\\n])*+'|(//[^\n]*(?:\n\\s*//[^\n]*)*+|/\\*[\\s\\S]*?\\*/)");

    private static final Pattern COMMENT_MARKER = Pattern.compile("^\\s*(#|--|//|/?\\*)");
    private static final Pattern FENCE = Pattern.compile("^\\s*```");
    private static final Pattern MARKDOWN_ITEM = Pattern.compile("^\\s*(?:[-*#|>]|\\d+\\.)");

    private static final List<String> ENDINGS = List.of(
            ".md", ".java", ".sql", ".json", ".html", ".js", ".mjs", ".css", ".svg", ".yml", ".properties", "pom.xml");

    private Prose() {}

    /**
     * Consecutive lines of prose.
     *
     * @param first the line number of the first line
     */
    record Block(int first, List<String> lines) {}

    /** Returns all pages, sources, scripts and build files. */
    static List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>(List.of(Repository.ROOT.resolve("semel")));
        try (Stream<Path> top = Files.list(Repository.ROOT)) {
            top.filter(Files::isRegularFile).filter(Prose::isText).forEach(files::add);
        }
        List<Path> folders = new ArrayList<>(Repository.sources());
        folders.add(Repository.ROOT.resolve("docs"));
        for (Path folder : folders) {
            try (Stream<Path> all = Files.walk(folder)) {
                all.filter(Prose::isText).forEach(files::add);
            }
        }
        return files.stream().sorted().toList();
    }

    private static boolean isText(Path file) {
        return ENDINGS.stream().anyMatch(file.getFileName().toString()::endsWith);
    }

    /** Returns the prose of a file. In Java files, only comments are prose. */
    static List<Block> of(Path file) throws IOException {
        String name = file.getFileName().toString();
        if (name.endsWith(".java")) {
            return javaComments(Files.readString(file));
        }
        return name.endsWith(".md") ? paragraphs(Files.readAllLines(file)) : lines(Files.readAllLines(file));
    }

    private static List<Block> javaComments(String source) {
        List<Block> blocks = new ArrayList<>();
        Matcher comment = JAVA_COMMENT.matcher(source);
        while (comment.find()) {
            if (comment.group(1) != null) {
                int first = 1
                        + (int) source.substring(0, comment.start())
                                .chars()
                                .filter(c -> c == '\n')
                                .count();
                blocks.add(new Block(first, comment.group(1).lines().toList()));
            }
        }
        return blocks;
    }

    /** Returns the paragraphs, list items and headings of a page. Table rows and lines of code are separate blocks. */
    private static List<Block> paragraphs(List<String> lines) {
        List<Block> blocks = new ArrayList<>();
        boolean code = false;
        boolean open = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            boolean fence = FENCE.matcher(line).find();
            code ^= fence;
            boolean joins =
                    open && !code && !fence && !MARKDOWN_ITEM.matcher(line).find();
            add(blocks, i + 1, line, joins && !line.isBlank());
            open = !code && !fence && !line.isBlank();
        }
        return blocks;
    }

    /** Returns the lines of a file. Consecutive lines of a comment are one block. */
    private static List<Block> lines(List<String> lines) {
        List<Block> blocks = new ArrayList<>();
        boolean comment = false;
        for (int i = 0; i < lines.size(); i++) {
            boolean continues = comment;
            comment = COMMENT_MARKER.matcher(lines.get(i)).find();
            add(blocks, i + 1, lines.get(i), continues && comment);
        }
        return blocks;
    }

    private static void add(List<Block> blocks, int number, String line, boolean joins) {
        if (joins) {
            blocks.get(blocks.size() - 1).lines().add(line);
        } else {
            blocks.add(new Block(number, new ArrayList<>(List.of(line))));
        }
    }

    /** Returns the Javadoc comments of a file with fewer than a number of characters. */
    static List<Block> shortJavadoc(Path file, int leastCharacters) throws IOException {
        return javaComments(Files.readString(file)).stream()
                .filter(block -> block.lines().get(0).startsWith("/**"))
                .filter(block -> textOf(block).length() < leastCharacters)
                .toList();
    }

    private static String textOf(Block javadoc) {
        return String.join(" ", javadoc.lines())
                .replaceAll("[\\s*]+|/\\*\\*|\\*/", " ")
                .strip();
    }
}
