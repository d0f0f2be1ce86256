package dev.semel.server.cli;

import dev.semel.server.migration.MigrationListener;
import dev.semel.server.migration.MigrationState;
import dev.semel.server.migration.MigrationState.Counts;
import dev.semel.server.settings.Suggestions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import tools.jackson.core.JsonGenerator;

/** Prints what a migration finds while it runs, and its report. What it finds is not kept in memory. */
final class MigrationOutput implements MigrationListener, AutoCloseable {

    private static final int SAMPLES = 3;
    private static final int BAR = 20;
    private static final double NANOS = 1e9;

    private final Terminal terminal;
    private final StatusLine line;
    private final boolean json;
    private final long startedAt = System.nanoTime();
    private final Map<String, List<String[]>> samples = new TreeMap<>();
    private long items;
    private long before = -1;

    /** @param json whether one JSON object is printed */
    MigrationOutput(CommandSpec spec, Terminal terminal, boolean json) {
        this.terminal = terminal;
        this.line = StatusLine.onTerminal(spec);
        this.json = json;
    }

    @Override
    public void leftOut(long number, @Nullable String key, String reason) {
        if (json) {
            item("skipped", generator -> {
                generator.writeNumberProperty("line", number);
                generator.writeStringProperty("key", key);
                generator.writeStringProperty("reason", reason);
            });
        } else {
            String text = "Line " + number + (key == null ? "" : ", key " + Suggestions.quote(key)) + ": " + reason;
            println(text);
        }
    }

    @Override
    public void differs(String type, String key, boolean changed, String reason) {
        if (json) {
            item("differences", generator -> {
                generator.writeStringProperty("collection", type);
                generator.writeStringProperty("key", key);
                generator.writeBooleanProperty("changed", changed);
                generator.writeStringProperty("reason", reason);
            });
        } else {
            println(type.isEmpty() ? capitalized(reason) : type + "/" + key + ": " + reason);
        }
    }

    private static String capitalized(String text) {
        return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
    }

    @Override
    public void migrated(String type, String legacyKey, String key) {
        List<String[]> ofType = samples.computeIfAbsent(type, any -> new ArrayList<>());
        if (ofType.size() < SAMPLES) {
            ofType.add(new String[] {legacyKey, key});
        }
    }

    @Override
    public void progress(long documents, double fraction) {
        if (before < 0) {
            before = documents;
        }
        line.show(() -> text(documents, fraction));
    }

    private String text(long documents, double fraction) {
        double seconds = Math.max(1, System.nanoTime() - startedAt) / NANOS;
        String rate = String.format(Locale.ROOT, "%,d documents, %,.0f/s", documents, (documents - before) / seconds);
        if (fraction <= 0) {
            return rate;
        }
        int filled = (int) (BAR * fraction);
        Duration left = Duration.ofSeconds(Math.round(seconds / fraction - seconds));
        return String.format(
                Locale.ROOT,
                "[%s%s] %3.0f%%, %s, %d:%02d left",
                "#".repeat(filled),
                "-".repeat(BAR - filled),
                100 * fraction,
                rate,
                left.toMinutes(),
                left.toSecondsPart());
    }

    void println(String text) {
        line.clear();
        terminal.println(FailureText.onOneLine(text));
    }

    /** Prints an object of the list with which the report begins. */
    private void item(String list, Consumer<JsonGenerator> members) {
        terminal.print(items++ == 0 ? "{\"" + list + "\":[" : ",");
        terminal.print(Terminal.json(members));
    }

    /** Prints the end of the report in JSON. */
    void end(String list, Consumer<JsonGenerator> members) {
        String rest = Terminal.json(members);
        terminal.println((items == 0 ? "{\"" + list + "\":[" : "") + "]," + rest.substring(1));
    }

    /** Prints the report of a plan or a run. */
    void report(MigrationState state, boolean dryRun) {
        line.clear();
        if (json) {
            end("skipped", generator -> {
                generator.writeStringProperty("source", state.source().name());
                if (dryRun) {
                    generator.writeBooleanProperty("dryRun", true);
                } else {
                    generator.writeNumberProperty("migration", state.number());
                }
                writeCounts(generator, state.total());
                writeTypes(generator, state);
                writeSamples(generator);
            });
            return;
        }
        terminal.println(
                dryRun
                        ? "Nothing was written. 'migrate run' would migrate "
                                + state.source().name() + ":"
                        : "Migration " + state.number() + " of "
                                + state.source().name() + " is complete:");
        terminal.println(counts("read " + number(state.total().read()) + ", ", state.total()));
        state.types().forEach((type, counts) -> terminal.println("  " + counts(type + ": ", counts)));
        samples.forEach((type, pairs) -> pairs.forEach(
                pair -> terminal.println(FailureText.onOneLine("  " + pair[0] + " -> " + type + "/" + pair[1]))));
    }

    private static String counts(String prefix, Counts counts) {
        return prefix + number(counts.written()) + " written, " + number(counts.merged()) + " merged, "
                + number(counts.skipped()) + " left out";
    }

    private static String number(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    static void writeCounts(JsonGenerator generator, Counts counts) {
        generator.writeNumberProperty("read", counts.read());
        generator.writeNumberProperty("written", counts.written());
        generator.writeNumberProperty("merged", counts.merged());
    }

    private static void writeTypes(JsonGenerator generator, MigrationState state) {
        generator.writeObjectPropertyStart("types");
        state.types().forEach((type, counts) -> {
            generator.writeObjectPropertyStart(type);
            writeCounts(generator, counts);
            generator.writeNumberProperty("skipped", counts.skipped());
            generator.writeEndObject();
        });
        generator.writeEndObject();
    }

    private void writeSamples(JsonGenerator generator) {
        generator.writeArrayPropertyStart("samples");
        samples.forEach((type, pairs) -> pairs.forEach(pair -> {
            generator.writeStartObject();
            generator.writeStringProperty("collection", type);
            generator.writeStringProperty("from", pair[0]);
            generator.writeStringProperty("to", pair[1]);
            generator.writeEndObject();
        }));
        generator.writeEndArray();
    }

    /** Prints the state of a migration. */
    static void printState(Terminal terminal, MigrationState state, boolean json) {
        if (json) {
            terminal.printJson(generator -> {
                generator.writeNumberProperty("migration", state.number());
                generator.writeStringProperty("phase", state.phase().toString());
                generator.writeStringProperty("source", state.source().name());
                generator.writeStringProperty("map", state.map());
                generator.writeStringProperty("merge", state.merge());
                generator.writeStringProperty("startedAt", state.startedAt().toString());
                generator.writeStringProperty(
                        "endedAt",
                        state.endedAt() == null ? null : state.endedAt().toString());
                generator.writeNumberProperty("line", state.line());
                writeCounts(generator, state.total());
                generator.writeNumberProperty("skipped", state.total().skipped());
                writeTypes(generator, state);
            });
            return;
        }
        terminal.println(FailureText.onOneLine("Migration " + state.number() + " of "
                + state.source().name() + ": " + state.phase().toString().replace('-', ' ')));
        terminal.println("  started " + state.startedAt()
                + (state.endedAt() == null ? "" : ", ended " + state.endedAt()) + ", last line "
                + number(state.line()));
        terminal.println("  " + counts("read " + number(state.total().read()) + ", ", state.total()));
    }

    @Override
    public void close() {
        line.clear();
    }
}
