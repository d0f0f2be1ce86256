package dev.semel.server.auth;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.json.Fingerprint;
import dev.semel.server.web.Caller;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Remembers for a short while which tokens held, by their hash: checking a signature takes longer than most requests. A key that
 * is withdrawn is good for no longer than that.
 */
final class KnownTokens {

    private static final Duration LONGEST = Duration.ofMinutes(1);
    private static final int MOST = 10_000;

    private final Tokens tokens;
    private final InstantSource clock;
    private final Map<Fingerprint, Tokens.Checked> known = new ConcurrentHashMap<>();

    KnownTokens(Tokens tokens, InstantSource clock) {
        this.tokens = tokens;
        this.clock = clock;
    }

    Caller check(String token) {
        Fingerprint hash = Fingerprint.ofBytes(token.getBytes(UTF_8));
        Instant now = clock.instant();
        Tokens.Checked before = known.get(hash);
        if (before != null && now.isBefore(before.expires())) {
            return before.caller();
        }
        known.remove(hash);
        Tokens.Checked checked = tokens.check(token);
        if (known.size() >= MOST) {
            known.values().removeIf(other -> !now.isBefore(other.expires()));
        }
        if (known.size() < MOST) {
            Instant latest = now.plus(LONGEST);
            Instant until = checked.expires().isBefore(latest) ? checked.expires() : latest;
            known.put(hash, new Tokens.Checked(checked.caller(), until));
        }
        return checked.caller();
    }
}
