package dev.semel.server.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.semel.http.Idempotency;
import dev.semel.id.TextFormat;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.App;
import dev.semel.server.web.Caller;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.ProblemException;
import dev.semel.server.web.Request;
import dev.semel.server.web.Routes;
import dev.semel.server.web.Routes.Access;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Issues a token for any user to any client, for trying the server out. The server listens on loopback only in this mode. The key that
 * signs tokens exists only in this process.
 */
public final class DevMode implements App {

    private static final Duration TTL = Duration.ofHours(12);

    private final byte[] secret = new byte[32];
    private final InstantSource clock;

    public DevMode(InstantSource clock) {
        this.clock = clock;
        new SecureRandom().nextBytes(secret);
    }

    /** Returns the verifier of the tokens that this issues. */
    public Tokens tokens() {
        return Tokens.ofSecret(secret, Tokens.ExpectedClaims.NOTHING, clock);
    }

    @Override
    public void declare(Routes routes) {
        routes.add("POST", "/v1/dev/token", Idempotency.NONE, Access.PUBLIC, this::token);
    }

    private ApiResponse token(Request request) {
        JsonNode body = request.object();
        String user = Request.text(body, "user", 2 * 255);
        if (!Caller.isName(user)) {
            throw ProblemException.invalid("user", Caller.NAMES);
        }
        return ApiResponse.ok(JsonText.object().put("token", mint(user, roles(body.get("roles")))));
    }

    private static List<String> roles(@Nullable JsonNode roles) {
        List<String> names = new ArrayList<>();
        if (roles == null || roles.isNull()) {
            return names;
        }
        if (!roles.isArray() || roles.size() > 10) {
            throw ProblemException.invalid("roles", "must be a list of at most 10 names");
        }
        for (JsonNode role : roles) {
            if (!role.isString() || !TextFormat.TEXT.isValid(role.stringValue())) {
                throw ProblemException.invalid("roles", "must be a list of names");
            }
            names.add(role.stringValue());
        }
        return names;
    }

    /** Returns a signed token for a user, valid for twelve hours. */
    public String mint(String user, List<String> roles) {
        Instant now = clock.instant();
        JWTClaimsSet claims = new JWTClaimsSet.Builder()
                .subject(user)
                .claim("roles", roles)
                .issueTime(Date.from(now))
                .expirationTime(Date.from(now.plus(TTL)))
                .build();
        SignedJWT token = new SignedJWT(new JWSHeader(JWSAlgorithm.HS256), claims);
        try {
            token.sign(new MACSigner(secret));
        } catch (JOSEException e) {
            throw new IllegalStateException(e); // cannot happen: the secret is long enough
        }
        return token.serialize();
    }
}
