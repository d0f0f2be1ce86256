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
 * Verifies tokens. The server chooses the algorithms, never the token: HS256 for a secret, RS256 and ES256 for public keys, so that nobody
 * can sign with a public key.
 */
public final class Tokens {

    /** By how much a token's maker may be ahead of us: it holds from a moment on, and is over when it says so. */
    private static final int SKEW_SECONDS = 5;

    private final DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();
    private final BooleanSupplier unavailable;
    private final InstantSource clock;

    private Tokens(
            JWSKeySelector<SecurityContext> keys,
            BooleanSupplier unavailable,
            ExpectedClaims expected,
            InstantSource clock) {
        this.unavailable = unavailable;
        this.clock = clock;
        processor.setJWSTypeVerifier(
                new DefaultJOSEObjectTypeVerifier<>(JOSEObjectType.JWT, new JOSEObjectType("at+jwt"), null));
        processor.setJWSKeySelector(keys);
        processor.setJWTClaimsSetVerifier(verifier(expected, clock));
    }

    /**
     * Claims that tokens must have beside the user.
     *
     * @param audience for whom they are; null for anybody
     * @param issuer who made them; null for anybody
     */
    public record ExpectedClaims(
            @Nullable String audience, @Nullable String issuer) {

        /** Nothing. */
        public static final ExpectedClaims NOTHING = new ExpectedClaims(null, null);
    }

    /** Signed with a secret that both sides know, whatever they call it. */
    static Tokens ofSecret(byte[] secret, ExpectedClaims expected, InstantSource clock) {
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
     * @param unavailable whether they could not be had when they were asked for the last time
     */
    static Tokens ofKeys(
            JWKSource<SecurityContext> keys,
            BooleanSupplier unavailable,
            ExpectedClaims expected,
            InstantSource clock) {
        Set<JWSAlgorithm> algorithms = Set.of(JWSAlgorithm.RS256, JWSAlgorithm.ES256);
        return new Tokens(new JWSVerificationKeySelector<>(algorithms, keys), unavailable, expected, clock);
    }

    private static DefaultJWTClaimsVerifier<SecurityContext> verifier(ExpectedClaims expected, InstantSource clock) {
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

    /** A valid token. */
    record Checked(Caller caller, Instant expires) {}

    /**
     * The user of a token.
     *
     * @throws BadTokenException if it is invalid
     * @throws KeysUnavailableException if the keys are unavailable
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
                throw new BadTokenException("it has expired");
            }
            return new Checked(new Caller(user, roles(claims), expires), expires);
        } catch (RateLimitReachedException e) {
            if (unavailable.getAsBoolean()) {
                throw new KeysUnavailableException(e);
            }
            throw new BadTokenException("it is signed with an unknown key");
        } catch (KeySourceException e) {
            throw new KeysUnavailableException(e);
        } catch (BadJWTException e) {
            throw new BadTokenException(String.valueOf(e.getMessage()));
        } catch (ParseException | BadJOSEException | JOSEException | IllegalArgumentException e) {
            throw new BadTokenException("it is malformed, or not signed as required");
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

    /** A token is invalid. */
    static final class BadTokenException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        BadTokenException(String fault) {
            super(fault, null, false, false);
        }

        String fault() {
            return String.valueOf(getMessage());
        }
    }

    /** A token cannot be verified. */
    static final class KeysUnavailableException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        KeysUnavailableException(Throwable cause) {
            super(cause);
        }
    }
}
