package dev.semel.server.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.RateLimitReachedException;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSKeySelector;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.BadJWTException;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import dev.semel.server.web.Caller;
import java.security.Key;
import java.text.ParseException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Tells from a token who holds it. The algorithms are ours to say, never the token's: a secret goes with HS256 alone, and public
 * keys with RS256 and ES256 alone, so that nobody can sign with what everybody may read.
 */
public final class Tokens {

    /** By how much a token's maker may be ahead of us: it holds from a moment on, and is over when it says so. */
    private static final int SKEW_SECONDS = 5;

    private final DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();
    private final BooleanSupplier outOfReach;
    private final InstantSource clock;

    private Tokens(
            JWSKeySelector<SecurityContext> keys, BooleanSupplier outOfReach, Expected expected, InstantSource clock) {
        this.outOfReach = outOfReach;
        this.clock = clock;
        processor.setJWSTypeVerifier(
                new DefaultJOSEObjectTypeVerifier<>(JOSEObjectType.JWT, new JOSEObjectType("at+jwt"), null));
        processor.setJWSKeySelector(keys);
        processor.setJWTClaimsSetVerifier(verifier(expected, clock));
    }

    /**
     * What tokens must say beside who holds them.
     *
     * @param audience for whom they are; null for anybody
     * @param issuer who made them; null for anybody
     */
    public record Expected(
            @Nullable String audience, @Nullable String issuer) {

        /** Nothing. */
        public static final Expected NOTHING = new Expected(null, null);
    }

    /** Signed with a secret that both sides know, whatever they call it. */
    static Tokens ofSecret(byte[] secret, Expected expected, InstantSource clock) {
        List<Key> keys = List.of(new SecretKeySpec(secret, "HmacSHA256"));
        return new Tokens(
                (header, context) -> header.getAlgorithm().equals(JWSAlgorithm.HS256) ? keys : List.of(),
                () -> false,
                expected,
                clock);
    }

    /**
     * Signed with one of some public keys.
     *
     * @param outOfReach whether they could not be had when they were asked for the last time
     */
    static Tokens ofKeys(
            JWKSource<SecurityContext> keys, BooleanSupplier outOfReach, Expected expected, InstantSource clock) {
        Set<JWSAlgorithm> algorithms = Set.of(JWSAlgorithm.RS256, JWSAlgorithm.ES256);
        return new Tokens(new JWSVerificationKeySelector<>(algorithms, keys), outOfReach, expected, clock);
    }

    private static DefaultJWTClaimsVerifier<SecurityContext> verifier(Expected expected, InstantSource clock) {
        JWTClaimsSet.Builder exact = new JWTClaimsSet.Builder();
        if (expected.issuer != null) {
            exact.issuer(expected.issuer);
        }
        Set<String> audience = expected.audience == null ? null : Set.of(expected.audience);
        DefaultJWTClaimsVerifier<SecurityContext> verifier =
                new DefaultJWTClaimsVerifier<>(audience, exact.build(), Set.of("sub", "exp"), Set.of()) {
                    @Override
                    protected Date currentTime() {
                        return Date.from(clock.instant());
                    }
                };
        verifier.setMaxClockSkew(SKEW_SECONDS);
        return verifier;
    }

    /** A token that holds. */
    record Checked(Caller caller, Instant expires) {}

    /**
     * Who holds a token.
     *
     * @throws BadTokenException if it does not hold
     * @throws KeysUnavailableException if the keys cannot be had
     */
    Checked check(String token) {
        try {
            JWTClaimsSet claims = processor.process(token, null);
            String user = claims.getSubject();
            if (!Caller.isName(user)) {
                throw new BadTokenException("sub " + Caller.NAMES);
            }
            if (claims.getExpirationTime() == null) {
                throw new BadTokenException("its exp is null");
            }
            Instant expires = claims.getExpirationTime().toInstant();
            if (!clock.instant().isBefore(expires)) {
                throw new BadTokenException("its time is over");
            }
            return new Checked(new Caller(user, roles(claims), expires), expires);
        } catch (RateLimitReachedException e) {
            if (outOfReach.getAsBoolean()) {
                throw new KeysUnavailableException(e);
            }
            throw new BadTokenException("it is signed with a key that is not known");
        } catch (KeySourceException e) {
            throw new KeysUnavailableException(e);
        } catch (BadJWTException e) {
            throw new BadTokenException(String.valueOf(e.getMessage()));
        } catch (ParseException | BadJOSEException | JOSEException | IllegalArgumentException e) {
            throw new BadTokenException("it is malformed, or not signed as it has to be");
        }
    }

    private static Set<String> roles(JWTClaimsSet claims) throws ParseException {
        List<String> roles = claims.getStringListClaim("roles");
        Set<String> known = new HashSet<>();
        if (roles != null) {
            roles.stream().filter(role -> role != null).forEach(known::add);
        }
        return known;
    }

    /** A token that does not hold. */
    static final class BadTokenException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        BadTokenException(String fault) {
            super(fault, null, false, false);
        }

        String fault() {
            return String.valueOf(getMessage());
        }
    }

    /** It cannot be told whether a token holds. */
    static final class KeysUnavailableException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        KeysUnavailableException(Throwable cause) {
            super(cause);
        }
    }
}
