package dev.semel.server.auth;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSetCacheRefreshEvaluator;
import com.nimbusds.jose.jwk.source.JWKSetSource;
import com.nimbusds.jose.jwk.source.JWKSetUnavailableException;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.jwk.source.URLBasedJWKSetSource;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.DefaultResourceRetriever;
import com.nimbusds.jose.util.ResourceRetriever;
import dev.semel.server.auth.Tokens.ExpectedClaims;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Opens the secret or the public keys that {@code --auth} names. */
public final class AuthSource {

    /** The forms that {@code --auth} accepts. */
    public static final String FORMS = "secret:FILE, secret:env:NAME, jwks:FILE or jwks:URL";

    private static final String SECRET = "secret:";
    private static final String VARIABLE = "env:";
    private static final String JWKS = "jwks:";
    private static final int LEAST_SECRET = 32;
    private static final long MOST_FILE_BYTES = 1 << 20;
    private static final int FETCH_MILLIS = 1_000; // timeout to connect and to read; fetches are tried twice
    private static final int WAIT_MILLIS = 2_000; // timeout of requests that wait for another's fetch
    private static final ResourceRetriever RETRIEVER =
            new DefaultResourceRetriever(FETCH_MILLIS, FETCH_MILLIS, JWKSourceBuilder.DEFAULT_HTTP_SIZE_LIMIT);
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    private AuthSource() {}

    /**
     * Opens a secret or public keys.
     *
     * @throws IllegalArgumentException if they do not exist or cannot be used. The message never contains the value, which may be a secret
     */
    public static Tokens open(
            String source, ExpectedClaims expected, Map<String, String> environment, InstantSource clock) {
        if (source.startsWith(SECRET)) {
            return Tokens.ofSecret(secret(source.substring(SECRET.length()), environment), expected, clock);
        }
        if (source.startsWith(JWKS)) {
            String location = source.substring(JWKS.length());
            boolean isUrl = location.contains("://");
            Fetching keys = new Fetching(
                    isUrl ? new URLBasedJWKSetSource<>(url(location), RETRIEVER) : new KeyFile(file(location)));
            JWKSource<SecurityContext> cached = JWKSourceBuilder.create(keys)
                    .cache(JWKSourceBuilder.DEFAULT_CACHE_TIME_TO_LIVE, WAIT_MILLIS)
                    .retrying(isUrl)
                    .build();
            return Tokens.ofKeys(cached, keys::hasFailed, expected, clock);
        }
        throw new IllegalArgumentException("takes " + FORMS + "; a secret itself is never an argument");
    }

    private static byte[] secret(String location, Map<String, String> environment) {
        byte[] secret;
        if (location.startsWith(VARIABLE)) {
            String name = location.substring(VARIABLE.length());
            String value = environment.get(name);
            if (value == null) {
                throw new IllegalArgumentException("names a variable that is not in the environment");
            }
            secret = value.getBytes(UTF_8);
        } else {
            secret = withoutLastLineEnd(read(file(location)));
        }
        if (secret.length < LEAST_SECRET) {
            throw new IllegalArgumentException("names a secret of " + secret.length + " bytes; it must have at least "
                    + LEAST_SECRET + " (to make one: head -c 48 /dev/urandom | base64)");
        }
        return secret;
    }

    private static byte[] withoutLastLineEnd(byte[] text) {
        int length = text.length;
        while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r')) {
            length--;
        }
        return Arrays.copyOf(text, length);
    }

    private static Path file(String location) {
        Path file;
        try {
            file = Path.of(location);
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("takes " + FORMS);
        }
        if (location.isEmpty() || !Files.isRegularFile(file) || !Files.isReadable(file)) {
            throw new IllegalArgumentException("names a file that does not exist or cannot be read (it takes " + FORMS
                    + "; a secret itself is never an argument)");
        }
        return file;
    }

    private static byte[] read(Path file) {
        try {
            if (Files.size(file) > MOST_FILE_BYTES) {
                throw new IllegalArgumentException("names a file of more than " + MOST_FILE_BYTES + " bytes");
            }
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new IllegalArgumentException("names a file that cannot be read");
        }
    }

    private static URL url(String location) {
        try {
            URI uri = new URI(location);
            boolean safe = "https".equals(uri.getScheme())
                    || ("http".equals(uri.getScheme()) && LOOPBACK.contains(String.valueOf(uri.getHost())));
            if (!safe || uri.getHost() == null) {
                throw new IllegalArgumentException(
                        "must use https:// unless the host is this machine: others can replace keys that are sent over http://");
            }
            return uri.toURL();
        } catch (URISyntaxException | MalformedURLException e) {
            throw new IllegalArgumentException("names a malformed URL");
        }
    }

    /** Records whether the last attempt to fetch keys failed. */
    private static final class Fetching implements JWKSetSource<SecurityContext> {

        private final JWKSetSource<SecurityContext> from;
        private volatile boolean failed;

        Fetching(JWKSetSource<SecurityContext> from) {
            this.from = from;
        }

        boolean hasFailed() {
            return failed;
        }

        @Override
        public JWKSet getJWKSet(JWKSetCacheRefreshEvaluator evaluator, long now, @Nullable SecurityContext context)
                throws KeySourceException {
            failed = true;
            JWKSet keys = from.getJWKSet(evaluator, now, context);
            failed = false;
            return keys;
        }

        @Override
        public void close() throws IOException {
            from.close();
        }
    }

    /** Public keys in a file, which is read again whenever keys are fetched. */
    private static final class KeyFile implements JWKSetSource<SecurityContext> {

        private final Path file;

        /** Reads the file once, to reject an invalid one at the start. */
        KeyFile(Path file) {
            this.file = file;
            try {
                parse();
            } catch (ParseException e) {
                throw new IllegalArgumentException("names a file that is not a JWK set");
            }
        }

        private JWKSet parse() throws ParseException {
            return JWKSet.parse(new String(read(file), UTF_8));
        }

        @Override
        public JWKSet getJWKSet(JWKSetCacheRefreshEvaluator evaluator, long now, @Nullable SecurityContext context)
                throws JWKSetUnavailableException {
            try {
                return parse();
            } catch (ParseException | IllegalArgumentException e) {
                throw new JWKSetUnavailableException("The file with the keys cannot be read", e);
            }
        }

        @Override
        public void close() {
            // no resources to release
        }
    }
}
