package dev.semel.server.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.semel.outbox.TokenSupplier;
import dev.semel.server.settings.Suggestions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the token from a file, again after each rejection. */
final class TokenFile implements TokenSupplier {

    private static final int MOST_BYTES = 1 << 16;
    private static final Pattern TOKEN = Pattern.compile("[!-~]+");

    private final Path file;

    TokenFile(Path file) {
        this.file = file;
    }

    @Override
    public String token(@Nullable String rejected) throws IOException {
        String name = Suggestions.quote(file.toString());
        try (InputStream in = Files.newInputStream(file)) {
            String text = new String(in.readNBytes(MOST_BYTES), US_ASCII).strip();
            if (!TOKEN.matcher(text).matches()) {
                throw new IOException("The file " + name + " does not hold a token: one line of ASCII characters");
            }
            return text;
        } catch (FileSystemException e) {
            throw new IOException("Cannot read the token from " + name + ": " + FailureText.reason(e), e);
        }
    }
}
