package dev.semel.server.apps.reputation;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.document.Transaction;
import dev.semel.id.IdSchemes;
import dev.semel.json.Json;
import dev.semel.server.web.JsonText;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Assigns UUIDs to legacy ids. A UUID of version 4 stays what it is, in its simple form. Any other id gets a UUID of version 4 that is
 * computed from its text and a random secret of the store (HMAC-SHA-256). So an id gets the same UUID wherever and whenever it occurs, no
 * two ids share one, and no table of ids has to be read or written. The secret is the mapping: it is kept in the store, and never changes.
 */
public final class LegacyIds {

    private static final DocumentId SECRET = new DocumentId("migration/ids", "", "secret");
    private static final String ALGORITHM = "HmacSHA256";
    private static final int SECRET_BYTES = 32;
    private static final Pattern UUID_FORMS = Pattern.compile(
            "[0-9a-fA-F]{32}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}");

    private final Mac mac;

    private LegacyIds(byte[] secret) {
        try {
            mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret, ALGORITHM));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every JDK has " + ALGORITHM, e);
        }
    }

    /** Returns the mapping of a store; empty if it has none yet. */
    public static Optional<LegacyIds> of(Document.Reader reader) {
        return reader.read(SECRET)
                .map(document -> JsonText.tree(document.data()).path("secret").asString())
                .map(hex -> new LegacyIds(HexFormat.of().parseHex(hex)));
    }

    /** Returns the mapping of a store, and creates it if there is none. */
    public static LegacyIds ofOrCreate(Transaction tx) {
        return of(tx).orElseGet(() -> {
            byte[] secret = new byte[SECRET_BYTES];
            new SecureRandom().nextBytes(secret);
            Json data =
                    JsonText.json(JsonText.object().put("secret", HexFormat.of().formatHex(secret)));
            tx.put(Document.created(SECRET, tx.now(), null, data), List.of());
            return new LegacyIds(secret);
        });
    }

    /** Returns a UUID of version 4, written in any form, in its simple form; empty for any other text. */
    public static Optional<String> uuid(String text) {
        String simple = simple(text);
        return IdSchemes.UUID4S.isValid(simple) ? Optional.of(simple) : Optional.empty();
    }

    /** Returns the UUID of a legacy id. */
    public String assigned(String text) {
        return uuid(text).orElseGet(() -> {
            ByteBuffer hash = ByteBuffer.wrap(hash(simple(text)));
            long high = (hash.getLong() & 0xFFFF_FFFF_FFFF_0FFFL) | 0x4000L; // version 4
            long low = (hash.getLong() & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L; // the variant of RFC 9562
            return new UUID(high, low).toString().replace("-", "");
        });
    }

    private synchronized byte[] hash(String text) {
        return mac.doFinal(text.getBytes(UTF_8));
    }

    /** Returns a UUID of any version without hyphens and in lower case, and any other text as it is. */
    private static String simple(String text) {
        return UUID_FORMS.matcher(text).matches() ? text.replace("-", "").toLowerCase(Locale.ROOT) : text;
    }
}
