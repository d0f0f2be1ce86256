package dev.semel.server.docs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Names, messages, comments, pages and scripts do not contain the phrases in {@code vocabulary.txt}. */
class VocabularyTest {

    private static final int LEAST_JAVADOC = 25;

    private static final Vocabulary VOCABULARY = Vocabulary.read();

    /** Collects the faults of the names and string literals of source files. */
    private static final class Sources extends TreePathScanner<@Nullable Void, CompilationUnitTree> {

        private final SourcePositions positions;
        private final List<String> names = new ArrayList<>();
        private final List<String> literals = new ArrayList<>();

        Sources(Trees trees) {
            this.positions = trees.getSourcePositions();
        }

        @Override
        public @Nullable Void visitClass(ClassTree tree, CompilationUnitTree unit) {
            report(names, VOCABULARY.inType(tree.getSimpleName().toString()), tree, unit);
            return super.visitClass(tree, unit);
        }

        @Override
        public @Nullable Void visitMethod(MethodTree tree, CompilationUnitTree unit) {
            report(names, VOCABULARY.inName(tree.getName().toString()), tree, unit);
            return super.visitMethod(tree, unit);
        }

        @Override
        public @Nullable Void visitVariable(VariableTree tree, CompilationUnitTree unit) {
            report(names, VOCABULARY.inName(tree.getName().toString()), tree, unit);
            return super.visitVariable(tree, unit);
        }

        @Override
        public @Nullable Void visitBinary(BinaryTree tree, CompilationUnitTree unit) {
            boolean outermost =
                    !(getCurrentPath().getParentPath().getLeaf() instanceof BinaryTree parent && isPlus(parent));
            if (isPlus(tree) && outermost) {
                report(literals, VOCABULARY.inProse(List.of(textOf(tree))), tree, unit);
            }
            return super.visitBinary(tree, unit);
        }

        @Override
        public @Nullable Void visitLiteral(LiteralTree tree, CompilationUnitTree unit) {
            boolean alone =
                    !(getCurrentPath().getParentPath().getLeaf() instanceof BinaryTree parent && isPlus(parent));
            if (alone && tree.getValue() instanceof String text) {
                report(literals, VOCABULARY.inProse(List.of(text)), tree, unit);
            }
            return super.visitLiteral(tree, unit);
        }

        private static boolean isPlus(Tree tree) {
            return tree.getKind() == Tree.Kind.PLUS;
        }

        /** Returns the text of concatenated literals, with a placeholder for each other operand. */
        private static String textOf(Tree tree) {
            if (tree instanceof BinaryTree binary && isPlus(binary)) {
                return textOf(binary.getLeftOperand()) + textOf(binary.getRightOperand());
            }
            return tree instanceof LiteralTree literal ? String.valueOf(literal.getValue()) : "…";
        }

        private void report(List<String> to, List<Vocabulary.Fault> faults, Tree tree, CompilationUnitTree unit) {
            Path file = Path.of(unit.getSourceFile().toUri());
            for (Vocabulary.Fault fault : faults) {
                long line = unit.getLineMap().getLineNumber(positions.getStartPosition(unit, tree));
                to.add(at(file, line) + fault.text());
            }
        }
    }

    @Test
    void namesInJava_areInTheVocabulary() throws IOException {
        assertThat(String.join("\n", scan().names)).isEmpty();
    }

    @Test
    void messagesInJava_areInTheVocabulary() throws IOException {
        assertThat(String.join("\n", scan().literals)).isEmpty();
    }

    @Test
    void pagesCommentsAndScripts_areInTheVocabulary() throws IOException {
        List<String> faults = new ArrayList<>();
        for (Path file : Prose.files()) {
            faults.addAll(faultsOfProse(file));
        }
        assertThat(String.join("\n", faults)).isEmpty();
    }

    @Test
    void javadoc_isAtLeastASentence() throws IOException {
        List<String> faults = new ArrayList<>();
        for (Path file : Prose.files()) {
            if (isJava(file)) {
                for (Prose.Block block : Prose.shortJavadoc(file, LEAST_JAVADOC)) {
                    faults.add(at(file, block.first()) + String.join(" ", block.lines()));
                }
            }
        }
        assertThat(String.join("\n", faults)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "Page.md, 2, 'An entry is\nlet P2.'",
        "Page.md, 3, '| a | b |\n|---|---|\n| c | entries that are P1 P2 |'",
        "Page.md, 3, '```\n# nothing here\n# P1 P2\n```'",
        "A.java, 2, '/** An entry is P1\n * P2. */ class A {}'",
        "A.java, 3, 'class A { // entries\n  // are P1\n  // P2\n}'",
        "A.java, 1, 'class A { /* entries P1 P2 */ }'",
        "openapi.json, 1, '{\"description\":\"Entries are P1 P2.\"}'",
        "alerts.yml, 2, '# Entries are P1\n# P2'",
        "alerts.yml, 1, 'summary: \"Entries are P1 P2\"'",
        "V1.sql, 2, '-- entries are P1\n-- P2\nselect 1;'",
        "semel, 1, 'say \"entries are P1 P2\"'",
        "semel, 2, '#!/bin/sh\nbuild # what was P1 P2'",
    })
    void phrase_isFoundWhereverItIsWritten(String name, int line, String text, @TempDir Path folder)
            throws IOException {
        Path file = Files.writeString(folder.resolve(name), withPhrase(text));
        assertThat(faultsOfProse(file)).singleElement().asString().startsWith(name + ":" + line + ": ");
    }

    @ParameterizedTest
    @CsvSource({
        "Page.md, 'This we P1. P2 on!'",
        "Page.md, 'This we P1\n\nP2 on!'",
        "Page.md, '| P1 | P2 |'",
        "A.java, 'class A { String s = \"// P1 P2\"; }'",
        "A.java, 'class A { // P1\n int P2; }'",
    })
    void wordsOfDifferentSentences_areNoPhrase(String name, String text, @TempDir Path folder) throws IOException {
        assertThat(faultsOfProse(Files.writeString(folder.resolve(name), withPhrase(text))))
                .isEmpty();
    }

    /** Inserts the phrase, which the source of this test must not contain. */
    private static String withPhrase(String text) {
        return text.replace("P1", "let").replace("P2", "go");
    }

    @Test
    void javadocThatSaysNothing_isFound(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(
                folder.resolve("A.java"), "/** Waits. */ class A {\n  /**\n   * Returns what flows.\n   */\n}");
        assertThat(Prose.shortJavadoc(file, LEAST_JAVADOC))
                .extracting(Prose.Block::first)
                .containsExactly(1, 2);
        assertThat(Prose.shortJavadoc(file, "Returns what flows.".length()))
                .extracting(Prose.Block::first)
                .containsExactly(1);
    }

    @Test
    void everyEntry_isFoundHoweverItIsWritten() {
        for (String phrase : VOCABULARY.phrases().keySet()) {
            String snake = "x_" + phrase.replace(' ', '_') + "_y";
            String camel = Stream.of(phrase.split(" "))
                    .map(word -> Character.toUpperCase(word.charAt(0)) + word.substring(1))
                    .collect(joining("", "x", "Y"));
            assertThat(VOCABULARY.inName(snake)).as(snake).isNotEmpty();
            assertThat(VOCABULARY.inName(camel)).as(camel).isNotEmpty();
        }
        Stream.of(VOCABULARY.phrases(), VOCABULARY.idioms())
                .flatMap(section -> section.keySet().stream())
                .forEach(phrase -> assertThat(VOCABULARY.inProse(List.of("X, " + phrase + "!")))
                        .as(phrase)
                        .isNotEmpty());
        VOCABULARY
                .types()
                .keySet()
                .forEach(type -> assertThat(VOCABULARY.inType(type)).as(type).isNotEmpty());
        assertThat(VOCABULARY.inProse(List.of("a fathers keyboard and an answer")))
                .isEmpty();
        assertThat(VOCABULARY.inType("IndexEntry")).isEmpty();
    }

    @Test
    void replacement_isItselfInTheVocabulary() {
        Stream.of(VOCABULARY.phrases(), VOCABULARY.idioms(), VOCABULARY.types())
                .flatMap(section -> section.values().stream())
                .forEach(replacement ->
                        assertThat(VOCABULARY.inProse(List.of(replacement))).isEmpty());
    }

    private static boolean isJava(Path file) {
        return file.toString().endsWith(".java");
    }

    private static String at(Path file, long line) {
        Path shown = file.startsWith(Repository.ROOT) ? Repository.ROOT.relativize(file) : file.getFileName();
        return shown + ":" + line + ": ";
    }

    private static List<String> faultsOfProse(Path file) throws IOException {
        List<String> faults = new ArrayList<>();
        for (Prose.Block block : Prose.of(file)) {
            for (Vocabulary.Fault fault : VOCABULARY.inProse(block.lines())) {
                faults.add(at(file, block.first() + fault.line()) + fault.text());
            }
        }
        return faults;
    }

    private static Sources scan() throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<Path> files = Prose.files().stream().filter(VocabularyTest::isJava).toList();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, UTF_8)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, manager, problem -> {}, List.of(), null, manager.getJavaFileObjectsFromPaths(files));
            Sources sources = new Sources(Trees.instance(task));
            for (CompilationUnitTree unit : task.parse()) {
                sources.scan(unit, unit);
            }
            return sources;
        }
    }
}
