package dev.semel.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.server.settings.Suggestions;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "fingerprint",
        description = {
            "Prints the fingerprint of a JSON payload: the SHA-256 of its canonical form (RFC 8785; integers keep all digits).",
            "The exit status is 1 if the text is not valid JSON."
        },
        footer = {"", "Example: echo '{\"b\": 2.0, \"a\": 1}' | ./semel fingerprint -"})
final class FingerprintCommand implements Runnable {

    @Parameters(paramLabel = "FILE", description = "A JSON text of at most 16 MiB. - reads standard input.")
    private Path file;

    @Option(
            names = "--canonical",
            description =
                    "Prints the canonical form, without a line break at the end, so that sha256sum prints the fingerprint.")
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

    /** Returns the text, or one byte more than is accepted. */
    private byte[] read() {
        if (file.toString().equals("-")) {
            try {
                return bounded(terminal.in());
            } catch (IOException e) {
                throw new UncheckedIOException("Cannot read standard input: " + e.getMessage(), e);
            }
        }
        try (InputStream in = Files.newInputStream(file)) {
            return bounded(in);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "Cannot read " + Suggestions.quote(file.toString()) + ": " + FailureText.reason(e), e);
        }
    }

    private static byte[] bounded(InputStream in) throws IOException {
        return in.readNBytes(Json.MOST_BYTES + 1);
    }
}
