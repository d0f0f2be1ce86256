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
 * Verifies tokens. The server chooses the accepted algorithms, never the token: HS256 for a secret, RS256 and ES256 for public keys. So a
 * public key cannot be misused as a secret.
 */
public final class Tokens {

    /** Tolerance of {@code nbf}, for issuers whose clock is ahead. {@code exp} has no tolerance. */
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
     * Claims that tokens must have in addition to the user.
     *
     * @param audience the required audience; null to accept any
     * @param issuer the required issuer; null to accept any
     */
    public record ExpectedClaims(
            @Nullable String audience, @Nullable String issuer) {

        /** Requires no audience and no issuer. */
        public static final ExpectedClaims NOTHING = new ExpectedClaims(null, null);
    }

    /** Returns a verifier of tokens that are signed with a secret. A key id in a token is ignored. */
    static Tokens ofSecret(byte[] secret, ExpectedClaims expected, InstantSource clock) {
        List<Key> keys = List.of(new SecretKeySpec(secret, "HmacSHA256"));
        return new Tokens(
                (header, context) -> header.getAlgorithm().equals(JWSAlgorithm.HS256) ? keys : List.of(),
                () -> false,
                expected,
                clock);
    }

    /**
     * Returns a verifier of tokens that are signed with one of several public keys.
     *
     * @param unavailable whether the last attempt to fetch the keys failed
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

    /** The user of a valid token, and when the token expires. */
    record Checked(Caller caller, Instant expires) {}

    /**
     * Verifies a token.
     *
     * @throws BadTokenException if the token is invalid
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

    /** Thrown if a token is invalid. */
    static final class BadTokenException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        BadTokenException(String fault) {
            super(fault, null, false, false);
        }

        String fault() {
            return String.valueOf(getMessage());
        }
    }

    /** Thrown if a token cannot be verified, because the keys are unavailable. */
    static final class KeysUnavailableException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        KeysUnavailableException(Throwable cause) {
            super(cause);
        }
    }
}
