package dev.semel.server.auth;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.json.Fingerprint;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Caches valid tokens by their hash, because verifying a signature takes longer than most requests. A revoked key is accepted for up to one
 * minute longer.
 */
final class KnownTokens {

    private static final Duration LONGEST = Duration.ofMinutes(1);
    private static final int MOST = 10_000;

    private final Tokens tokens;
    private final InstantSource clock;
    private final Map<Fingerprint, Known> known = new ConcurrentHashMap<>();

    /** A valid token, and the time until which it is cached. */
    private record Known(Tokens.Checked checked, Instant until) {}

    KnownTokens(Tokens tokens, InstantSource clock) {
        this.tokens = tokens;
        this.clock = clock;
    }

    Tokens.Checked check(String token) {
        Fingerprint hash = Fingerprint.ofBytes(token.getBytes(UTF_8));
        Instant now = clock.instant();
        Known before = known.get(hash);
        if (before != null && now.isBefore(before.until)) {
            return before.checked;
        }
        known.remove(hash);
        Tokens.Checked checked = tokens.check(token);
        if (known.size() >= MOST) {
            known.values().removeIf(other -> !now.isBefore(other.until));
        }
        if (known.size() < MOST) {
            Instant latest = now.plus(LONGEST);
            Instant until = checked.expires().isBefore(latest) ? checked.expires() : latest;
            known.put(hash, new Known(checked, until));
        }
        return checked;
    }
}
