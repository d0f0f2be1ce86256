package dev.semel.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.id.MalformedException;
import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "fingerprint",
        description = {
            "Prints what a JSON payload is known by: the SHA-256 of its canonical text (RFC 8785; integers keep all digits).",
            "Exits with 1 if it is no JSON."
        },
        footer = {"", "Example: echo '{\"b\": 2.0, \"a\": 1}' | ./semel fingerprint -"})
final class FingerprintCommand implements Runnable {

    @Parameters(paramLabel = "FILE", description = "A JSON text of up to 16 MiB; - reads standard input.")
    private Path file;

    @Option(
            names = "--canonical",
            description =
                    "Prints the canonical text instead: its bytes and no end of line, so that sha256sum gives the hash.")
    private boolean canonical;

    private final Terminal terminal;

    FingerprintCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public void run() {
        byte[] text = Json.canonical(read());
        if (canonical) {
            terminal.print(new String(text, UTF_8));
        } else {
            terminal.println(Fingerprint.ofBytes(text).hex());
        }
    }

    /** The text, or as much of it as shows that it is too long. */
    private byte[] read() {
        if (file.toString().equals("-")) {
            try {
                return bounded(terminal.in());
            } catch (IOException e) {
                throw new UncheckedIOException("cannot read standard input: " + e.getMessage(), e);
            }
        }
        try (InputStream in = Files.newInputStream(file)) {
            return bounded(in);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot read " + MalformedException.quote(file.toString()) + ": " + reason(e), e);
        }
    }

    private static byte[] bounded(InputStream in) throws IOException {
        return in.readNBytes(Json.MOST_BYTES + 1);
    }

    /** Of these two, the message is the name of the file alone. */
    private static String reason(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "there is no such file";
        }
        return e instanceof AccessDeniedException ? "it is not permitted" : String.valueOf(e.getMessage());
    }
}
