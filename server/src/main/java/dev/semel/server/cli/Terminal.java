package dev.semel.server.cli;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import picocli.CommandLine;
import picocli.CommandLine.IFactory;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;

/** The standard input and output of a command. Output is UTF-8 and buffered. A failure to write it is reported. */
final class Terminal {

    /** Escapes everything but ASCII, so that any text can be printed, even unpaired surrogates. */
    private static final JsonFactory JSON =
            JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    private final InputStream in;
    private final Writer out;
    private final StringWriter help = new StringWriter();
    private boolean broken;

    Terminal(InputStream in, OutputStream out) {
        this.in = in;
        this.out = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), 1 << 16);
    }

    InputStream in() {
        return in;
    }

    void println(String line) {
        print(line);
        print("\n");
    }

    /** Writes a text without a line break. */
    void print(String text) {
        try {
            out.write(text);
        } catch (IOException e) {
            throw broken(e);
        }
    }

    private OutputException broken(IOException e) {
        broken = true;
        return new OutputException(e);
    }

    /** Writes a JSON object on one line. */
    void printJson(Consumer<JsonGenerator> members) {
        println(json(members));
    }

    /** Returns a JSON object as text. */
    static String json(Consumer<JsonGenerator> members) {
        StringWriter line = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), line)) {
            json.writeStartObject();
            members.accept(json);
            json.writeEndObject();
        }
        return line.toString();
    }

    /** Writes the buffered output, unless writing has failed before. */
    void flush() {
        if (broken) {
            return;
        }
        try {
            out.write(help.toString());
            help.getBuffer().setLength(0);
            out.flush();
        } catch (IOException e) {
            throw broken(e);
        }
    }

    /** Returns a writer for help and version, which picocli prints. It is buffered here, since a PrintWriter hides a full disk. */
    PrintWriter writer() {
        return new PrintWriter(help);
    }

    /** Thrown if the output cannot be written. */
    static final class OutputException extends UncheckedIOException {

        private static final long serialVersionUID = 1L;

        OutputException(IOException cause) {
            super(String.valueOf(cause.getMessage()), cause);
        }
    }

    /** Creates commands with the terminal. */
    static final class Factory implements IFactory {
        private final Terminal terminal;

        Factory(Terminal terminal) {
            this.terminal = terminal;
        }

        @Override
        public <K> K create(Class<K> type) throws Exception {
            try {
                return type.getDeclaredConstructor(Terminal.class).newInstance(terminal);
            } catch (NoSuchMethodException e) {
                return CommandLine.defaultFactory().create(type);
            }
        }
    }
}
