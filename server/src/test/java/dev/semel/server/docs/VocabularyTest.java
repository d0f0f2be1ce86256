package dev.semel.server.docs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

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
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Names, messages and SQL use the terms of the field: {@code vocabulary.txt} lists what they do not use, and what instead. */
class VocabularyTest {

    private static final Vocabulary VOCABULARY = Vocabulary.read();

    /** Phrases and type names, each with its replacement. */
    private record Vocabulary(Map<String, String> phrases, Map<String, String> types) {

        static Vocabulary read() {
            Map<String, Map<String, String>> sections = new LinkedHashMap<>();
            Map<String, String> section = new LinkedHashMap<>();
            for (String line : text().lines().toList()) {
                if (line.startsWith("[")) {
                    section = sections.computeIfAbsent(line, name -> new LinkedHashMap<>());
                } else if (!line.isBlank() && !line.startsWith("#")) {
                    String[] entry = line.split(" = ", 2);
                    section.put(entry[0], entry[1]);
                }
            }
            return new Vocabulary(
                    Objects.requireNonNull(sections.get("[phrases]")), Objects.requireNonNull(sections.get("[types]")));
        }

        private static String text() {
            try (InputStream in = VocabularyTest.class.getResourceAsStream("vocabulary.txt")) {
                return new String(Objects.requireNonNull(in).readAllBytes(), UTF_8);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        /** What is wrong with a name or a message; null if nothing is. */
        @Nullable String fault(String text) {
            String words = words(text);
            for (Map.Entry<String, String> entry : phrases.entrySet()) {
                if (words.contains(" " + entry.getKey() + " ")) {
                    return "\"" + entry.getKey() + "\" in " + shortened(text) + "; write: " + entry.getValue();
                }
            }
            return null;
        }

        @Nullable String faultOfType(String name) {
            String replacement = types.get(name);
            return replacement == null ? fault(name) : name + "; write: " + replacement;
        }

        /** Lower-case words between single spaces: {@code fooBar_baz}, {@code FOO_BAR_BAZ} and "foo bar, baz" are the same. */
        private static String words(String text) {
            String spaced = text.replaceAll("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ")
                    .replaceAll("[^A-Za-z0-9]+", " ");
            return " " + spaced.strip().toLowerCase(Locale.ROOT) + " ";
        }

        private static String shortened(String text) {
            return text.length() > 80 ? text.substring(0, 80) + "…" : text;
        }
    }

    /** Collects what a source file declares and what its string literals say. */
    private static final class Names extends TreePathScanner<@Nullable Void, CompilationUnitTree> {

        private final SourcePositions positions;
        private final List<String> faults = new ArrayList<>();

        Names(Trees trees) {
            this.positions = trees.getSourcePositions();
        }

        @Override
        public @Nullable Void visitClass(ClassTree tree, CompilationUnitTree file) {
            report(VOCABULARY.faultOfType(tree.getSimpleName().toString()), tree, file);
            return super.visitClass(tree, file);
        }

        @Override
        public @Nullable Void visitMethod(MethodTree tree, CompilationUnitTree file) {
            report(VOCABULARY.fault(tree.getName().toString()), tree, file);
            return super.visitMethod(tree, file);
        }

        @Override
        public @Nullable Void visitVariable(VariableTree tree, CompilationUnitTree file) {
            report(VOCABULARY.fault(tree.getName().toString()), tree, file);
            return super.visitVariable(tree, file);
        }

        @Override
        public @Nullable Void visitLiteral(LiteralTree tree, CompilationUnitTree file) {
            if (tree.getValue() instanceof String text) {
                report(VOCABULARY.fault(text), tree, file);
            }
            return super.visitLiteral(tree, file);
        }

        private void report(@Nullable String fault, Tree tree, CompilationUnitTree file) {
            if (fault != null) {
                long line = file.getLineMap().getLineNumber(positions.getStartPosition(file, tree));
                faults.add(Path.of(file.getSourceFile().toUri()).getFileName() + ":" + line + ": " + fault);
            }
        }
    }

    @Test
    void namesAndMessagesOfJava_areInTheVocabulary() throws IOException {
        assertThat(String.join("\n", faultsOf(files(".java")))).isEmpty();
    }

    @Test
    void sqlAndDescriptions_areInTheVocabulary() throws IOException {
        List<String> faults = new ArrayList<>();
        for (String ending : List.of(".sql", ".json", ".html", ".js", ".css")) {
            for (Path file : files(ending)) {
                List<String> lines = Files.readAllLines(file);
                for (int i = 0; i < lines.size(); i++) {
                    String fault = VOCABULARY.fault(lines.get(i));
                    if (fault != null) {
                        faults.add(file.getFileName() + ":" + (i + 1) + ": " + fault);
                    }
                }
            }
        }
        assertThat(String.join("\n", faults)).isEmpty();
    }

    @Test
    void everyEntry_isFoundHoweverItIsWritten() {
        for (String phrase : VOCABULARY.phrases().keySet()) {
            String snake = "x_" + phrase.replace(' ', '_') + "_y";
            String camel = Stream.of(phrase.split(" "))
                    .map(word -> Character.toUpperCase(word.charAt(0)) + word.substring(1))
                    .collect(joining("", "x", "Y"));
            assertThat(VOCABULARY.fault(snake)).as(snake).isNotNull();
            assertThat(VOCABULARY.fault(camel)).as(camel).isNotNull();
            assertThat(VOCABULARY.fault("X, " + phrase + "!")).as(phrase).isNotNull();
        }
        VOCABULARY
                .types()
                .keySet()
                .forEach(type -> assertThat(VOCABULARY.faultOfType(type)).isNotNull());
        assertThat(VOCABULARY.fault("a fathers keyboard and an answer")).isNull();
        assertThat(VOCABULARY.faultOfType("IndexEntry")).isNull();
    }

    @Test
    void replacement_isItselfInTheVocabulary() {
        Stream.of(VOCABULARY.phrases(), VOCABULARY.types())
                .flatMap(section -> section.values().stream())
                .forEach(
                        replacement -> assertThat(VOCABULARY.fault(replacement)).isNull());
    }

    private static List<Path> files(String ending) throws IOException {
        List<Path> files = new ArrayList<>();
        for (Path sources : Repository.sources()) {
            try (Stream<Path> all = Files.walk(sources)) {
                all.filter(path -> path.toString().endsWith(ending)).sorted().forEach(files::add);
            }
        }
        return files;
    }

    private static List<String> faultsOf(List<Path> files) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, UTF_8)) {
            Iterable<? extends JavaFileObject> units = manager.getJavaFileObjectsFromPaths(files);
            JavacTask task = (JavacTask) compiler.getTask(null, manager, problem -> {}, List.of(), null, units);
            Names names = new Names(Trees.instance(task));
            for (CompilationUnitTree unit : task.parse()) {
                names.scan(unit, unit);
            }
            return names.faults;
        }
    }
}
