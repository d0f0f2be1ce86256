package dev.semel.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.CompletableFuture.runAsync;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import dev.semel.memory.MemoryStore;
import dev.semel.server.ServerFixture.Reply;
import dev.semel.server.auth.AuthSource;
import dev.semel.server.auth.Tokens;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.App;
import dev.semel.server.web.JsonText;
import dev.semel.store.Time;
import dev.semel.testkit.ControlledTime;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Valid tokens are accepted, and all others are rejected. */
class AuthTest {

    private static final String SECRET = "a secret that is long enough to be one";
    private static final RSAKey RSA = rsa("rsa-1");
    private static final ECKey EC = ec("ec-1");

    @TempDir
    Path folder;

    private final ControlledTime time = new ControlledTime();

    private static RSAKey rsa(String id) {
        try {
            return new RSAKeyGenerator(2048).keyID(id).generate();
        } catch (JOSEException e) {
            throw new AssertionError(e);
        }
    }

    private static ECKey ec(String id) {
        try {
            return new ECKeyGenerator(Curve.P_256).keyID(id).generate();
        } catch (JOSEException e) {
            throw new AssertionError(e);
        }
    }

    private ServerFixture serve(String source, Tokens.ExpectedClaims expected) {
        Tokens tokens = AuthSource.open(source, expected, Map.of("MY_SECRET", SECRET), time);
        return ServerFixture.on(
                new MemoryStore(),
                time,
                apps -> {
                    List<App> all = new ArrayList<>(apps.all());
                    all.add(routes -> routes.get(
                            "/who", request -> ApiResponse.ok(JsonText.object().put("user", request.user()))));
                    return all;
                },
                settings -> settings.withTokens(tokens));
    }

    private ServerFixture serveSecret() {
        return serve("secret:env:MY_SECRET", Tokens.ExpectedClaims.NOTHING);
    }

    private ServerFixture serveKeys(String text) throws Exception {
        Path file = Files.writeString(folder.resolve("keys.json"), text);
        return serve("jwks:" + file, Tokens.ExpectedClaims.NOTHING);
    }

    private static String publicKeys() {
        return new JWKSet(List.of(RSA.toPublicJWK(), EC.toPublicJWK())).toString();
    }

    private JWTClaimsSet.Builder claims() {
        return new JWTClaimsSet.Builder()
                .subject("ann")
                .expirationTime(Date.from(time.instant().plusSeconds(600)));
    }

    private static String sign(JWSHeader header, JWTClaimsSet claims, JWSSigner signer) throws JOSEException {
        SignedJWT token = new SignedJWT(header, claims);
        token.sign(signer);
        return token.serialize();
    }

    private static String hs256(JWTClaimsSet claims, String secret) throws JOSEException {
        return sign(new JWSHeader(JWSAlgorithm.HS256), claims, new MACSigner(secret));
    }

    private static String rs256(JWTClaimsSet claims, RSAKey key) throws JOSEException {
        JWSHeader header =
                new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(key.getKeyID()).build();
        return sign(header, claims, new RSASSASigner(key));
    }

    private static String es256(JWTClaimsSet claims, ECKey key) throws JOSEException {
        JWSHeader header =
                new JWSHeader.Builder(JWSAlgorithm.ES256).keyID(key.getKeyID()).build();
        return sign(header, claims, new ECDSASigner(key));
    }

    private static void assertLetIn(ServerFixture server, String token) {
        Reply reply = server.withToken(token).get("/who");
        assertThat(reply.text()).isEqualTo("{\"user\":\"ann\"}");
    }

    private static void assertRejected(ServerFixture server, String token) {
        Reply reply = server.withToken(token).get("/who");
        assertThat(reply.status()).isEqualTo(401);
        assertThat(reply.text("code")).isEqualTo("unauthorized");
        assertThat(reply.header("WWW-Authenticate")).startsWith("Bearer");
        assertThat(reply.header("Content-Type")).isEqualTo("application/problem+json");
    }

    @Test
    void tokenSignedWithTheSecret_isAccepted() throws Exception {
        try (ServerFixture server = serveSecret()) {
            String token = hs256(claims().build(), SECRET);
            assertLetIn(server, token);
            assertLetIn(server, token);
            assertThat(server.asNobody()
                            .get("/who", "Authorization", "bearer " + token)
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void secret_hasNoNameThatATokenCouldGetWrong() throws Exception {
        try (ServerFixture server = serveSecret()) {
            JWSHeader named =
                    new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("2026-11").build();
            assertLetIn(server, sign(named, claims().build(), new MACSigner(SECRET)));
        }
    }

    @Test
    void noToken_isRejected() throws Exception {
        try (ServerFixture server = serveSecret()) {
            assertThat(server.asNobody().get("/who").status()).isEqualTo(401);
            assertThat(server.asNobody()
                            .get("/who", "Authorization", "Basic YTpi")
                            .status())
                    .isEqualTo(401);
            assertThat(server.asNobody().get("/health/live").status()).isEqualTo(200);
            assertThat(server.asNobody()
                            .post("/v1/dev/token", "{\"user\":\"ann\"}")
                            .status())
                    .isEqualTo(404);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "a.b.c", "..", "eyJhbGciOiJub25lIn0..", "eyJhbGciOiJIUzI1NiJ9.e30.", "ÿ", "{}"})
    void garbage_isRejected(String token) throws Exception {
        try (ServerFixture server = serveSecret()) {
            assertRejected(server, token);
        }
    }

    @Test
    void unsignedToken_isRejected() throws Exception {
        try (ServerFixture secret = serveSecret();
                ServerFixture keys = serveKeys(publicKeys())) {
            String plain = new PlainJWT(claims().build()).serialize();
            assertRejected(secret, plain);
            assertRejected(keys, plain);
        }
    }

    @Test
    void wrongSecret_isRejected() throws Exception {
        try (ServerFixture server = serveSecret()) {
            assertRejected(server, hs256(claims().build(), SECRET + "!"));
            String token = hs256(claims().build(), SECRET);
            String other = hs256(claims().subject("bob").build(), SECRET);
            assertRejected(
                    server, other.substring(0, other.lastIndexOf('.')) + token.substring(token.lastIndexOf('.')));
        }
    }

    /** The clock of the issuer may be ahead by five seconds. */
    @Test
    void tokenNotYetValidOrExpired_isRejected() throws Exception {
        try (ServerFixture server = serveSecret()) {
            Instant now = time.instant();
            for (long seconds : new long[] {0, 1, 4, 60}) {
                Date end = Date.from(now.minusSeconds(seconds));
                assertRejected(server, hs256(claims().expirationTime(end).build(), SECRET));
            }
            assertRejected(server, hs256(claims().expirationTime(null).build(), SECRET));
            assertRejected(
                    server,
                    hs256(
                            claims().expirationTime(null)
                                    .serializeNullClaims(true)
                                    .build(),
                            SECRET));
            assertLetIn(
                    server,
                    hs256(claims().notBeforeTime(Date.from(now.plusSeconds(4))).build(), SECRET));
            assertRejected(
                    server,
                    hs256(claims().notBeforeTime(Date.from(now.plusSeconds(6))).build(), SECRET));
        }
    }

    @Test
    void validToken_isRejectedOnceItHasExpired() throws Exception {
        try (ServerFixture server = serveSecret()) {
            String token = hs256(
                    claims().expirationTime(Date.from(time.instant().plusSeconds(5)))
                            .build(),
                    SECRET);
            assertLetIn(server, token);
            time.advance(Duration.ofSeconds(4));
            assertLetIn(server, token);
            time.advance(Duration.ofSeconds(1));
            assertRejected(server, token);
        }
    }

    @Test
    void subjectThatIsNoUser_isRejected() throws Exception {
        try (ServerFixture server = serveSecret()) {
            assertRejected(server, hs256(claims().subject(null).build(), SECRET));
            for (String subject : List.of(
                    "", ".", "..", "a\nb", "a\u0085", "a".repeat(256), "semel--operators", "semel--actions-0a")) {
                assertRejected(server, hs256(claims().subject(subject).build(), SECRET));
            }
            List<String> users = List.of(
                    "a".repeat(255),
                    "semel-operators",
                    "-_-",
                    "bob@example.com",
                    "auth0|42",
                    "ann,bob",
                    "a/b",
                    "a b",
                    "Zoë");
            for (String subject : users) {
                String token = hs256(claims().subject(subject).build(), SECRET);
                assertThat(server.withToken(token).get("/who").status()).isEqualTo(200);
            }
        }
    }

    @Test
    void audienceAndIssuer_haveToFitWhereTheyAreExpected() throws Exception {
        try (ServerFixture server = serve("secret:env:MY_SECRET", new Tokens.ExpectedClaims("semel", "me"))) {
            assertLetIn(
                    server,
                    hs256(claims().audience(List.of("x", "semel")).issuer("me").build(), SECRET));
            assertRejected(server, hs256(claims().audience("x").issuer("me").build(), SECRET));
            assertRejected(server, hs256(claims().audience("semel").issuer("x").build(), SECRET));
            assertRejected(server, hs256(claims().build(), SECRET));
        }
    }

    @Test
    void tokenSignedWithAPrivateKey_isAcceptedByItsPublicKey() throws Exception {
        try (ServerFixture server = serveKeys(publicKeys())) {
            assertLetIn(server, rs256(claims().build(), RSA));
            assertLetIn(server, es256(claims().build(), EC));
            assertRejected(server, rs256(claims().build(), rsa("rsa-1")));
            assertRejected(server, hs256(claims().build(), SECRET));
        }
    }

    /** Algorithm confusion: everyone who knows the public key could sign, if the token chose the algorithm. */
    @Test
    void tokenSignedWithThePublicKeyAsSecret_isRejected() throws Exception {
        JWSHeader header =
                new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("rsa-1").build();
        byte[] pem = RSA.toRSAPublicKey().getEncoded();
        String oct = "{\"kty\":\"oct\",\"kid\":\"rsa-1\",\"k\":\"" + Base64URL.encode(SECRET) + "\"}";
        try (ServerFixture server = serveKeys(publicKeys());
                ServerFixture withSecret = serveKeys("{\"keys\":[" + oct + "]}")) {
            assertRejected(server, sign(header, claims().build(), new MACSigner(pem)));
            assertRejected(withSecret, sign(header, claims().build(), new MACSigner(SECRET)));
        }
    }

    @Test
    void keyForEncryption_signsNothing() throws Exception {
        RSAKey encrypting =
                new RSAKeyGenerator(2048).keyID("enc").keyUse(KeyUse.ENCRYPTION).generate();
        try (ServerFixture server = serveKeys(new JWKSet(encrypting.toPublicJWK()).toString())) {
            JWSHeader header =
                    new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("enc").build();
            assertRejected(server, sign(header, claims().build(), new RSASSASigner(encrypting.toRSAPrivateKey())));
        }
    }

    @Test
    void otherAlgorithm_isRejected() throws Exception {
        try (ServerFixture server = serveKeys(publicKeys())) {
            for (JWSAlgorithm algorithm : List.of(JWSAlgorithm.RS512, JWSAlgorithm.PS256)) {
                JWSHeader header =
                        new JWSHeader.Builder(algorithm).keyID("rsa-1").build();
                assertRejected(server, sign(header, claims().build(), new RSASSASigner(RSA)));
            }
        }
    }

    /** A key in the token's header is ignored. */
    @Test
    void tokenThatBringsItsOwnKey_isRejected() throws Exception {
        try (ServerFixture keys = serveKeys(publicKeys());
                ServerFixture secret = serveSecret()) {
            RSAKey own = rsa("rsa-1"); // has the key id of a known key
            assertRejected(keys, rs256(claims().build(), own));
            JWSHeader.Builder header = new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("own");
            for (JWSHeader named : List.of(
                    header.jwk(own.toPublicJWK()).build(),
                    header.jwk(null)
                            .jwkURL(java.net.URI.create("http://localhost:1/keys"))
                            .build(),
                    header.jwkURL(null).keyID("../../../etc/passwd").build(),
                    header.keyID("' or 1=1 --").build())) {
                String token = sign(named, claims().build(), new RSASSASigner(own));
                assertRejected(keys, token);
                assertRejected(secret, token);
            }
        }
    }

    /** Some JDKs accepted a signature of zeros (CVE-2022-21449). */
    @Test
    void signatureOfZeros_isRejected() throws Exception {
        try (ServerFixture keys = serveKeys(publicKeys())) {
            JWSHeader header =
                    new JWSHeader.Builder(JWSAlgorithm.ES256).keyID("ec-1").build();
            String signed =
                    header.toBase64URL() + "." + claims().build().toPayload().toBase64URL();
            assertRejected(keys, signed + "." + Base64URL.encode(new byte[64]));
            assertRejected(keys, signed + "." + Base64URL.encode(new byte[0]));
        }
    }

    /** Critical header parameters must be understood, and this one is not. */
    @Test
    void unknownCriticalHeader_isRejected() throws Exception {
        try (ServerFixture server = serveSecret()) {
            JWSHeader header = new JWSHeader.Builder(JWSAlgorithm.HS256)
                    .criticalParams(java.util.Set.of("purpose"))
                    .customParam("purpose", "other")
                    .build();
            assertRejected(server, sign(header, claims().build(), new MACSigner(SECRET)));
        }
    }

    @Test
    void tokenLargerThanAHead_isRejected() throws Exception {
        try (ServerFixture server = serveSecret()) {
            String token = hs256(claims().claim("much", "x".repeat(20_000)).build(), SECRET);
            assertThat(server.withToken(token).get("/who").status()).isEqualTo(431);
        }
    }

    @Test
    void newKeyInTheFile_isFoundWhenATokenNamesIt() throws Exception {
        try (ServerFixture server = serveKeys(publicKeys())) {
            assertLetIn(server, rs256(claims().build(), RSA));
            RSAKey next = rsa("rsa-2");
            replaceKeys(new JWKSet(next.toPublicJWK()).toString());
            assertLetIn(server, rs256(claims().build(), next));
            assertRejected(server, rs256(claims().subject("ann").jwtID("1").build(), RSA));
        }
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void keyThatIsWithdrawn_endsStreamsWithinAMinute() throws Exception {
        try (ServerFixture server = serveKeys(publicKeys());
                EventStream stream = EventStream.open(server.uri("/"), rs256(claims().build(), RSA), "");
                EventStream other = EventStream.open(server.uri("/"), es256(claims().build(), EC), "")) {
            assertThat(stream.nextBlock()).isPresent();
            assertThat(other.nextBlock()).isPresent();
            RSAKey next = rsa("rsa-2");
            replaceKeys(new JWKSet(List.of(next.toPublicJWK(), EC.toPublicJWK())).toString());
            assertLetIn(server, rs256(claims().build(), next));
            for (int seconds = 0; seconds < 59; seconds += 15) {
                EventStream.pass(time, Duration.ofSeconds(15));
                assertThat(other.nextBlock().orElseThrow().type()).isEqualTo(":");
            }
            int heartbeats = 0;
            while (stream.nextBlock().isPresent()) {
                heartbeats++;
            }
            assertThat(heartbeats).isBetween(3, 4); // the last one may have been sent before the token was checked
            EventStream.pass(time, Duration.ofSeconds(15));
            assertThat(other.nextBlock()).as("of a key that is still there").isPresent();
        }
    }

    private void replaceKeys(String keys) throws Exception {
        Files.writeString(folder.resolve("keys.json"), keys);
    }

    /** Tokens with unknown key ids cause few fetches. */
    @Test
    void keysFromAUrl_areFetchedAgainForANewKeyButNotForEveryUnknownOne() throws Exception {
        AtomicReference<String> keys = new AtomicReference<>(publicKeys());
        AtomicInteger fetched = new AtomicInteger();
        HttpServer issuer = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        issuer.createContext("/", exchange -> {
            fetched.incrementAndGet();
            byte[] body = String.valueOf(keys.get()).getBytes(UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        issuer.start();
        String url = "jwks:http://localhost:" + issuer.getAddress().getPort() + "/keys";
        try (ServerFixture server = serve(url, Tokens.ExpectedClaims.NOTHING)) {
            assertLetIn(server, rs256(claims().build(), RSA));
            RSAKey next = rsa("rsa-2");
            keys.set(new JWKSet(next.toPublicJWK()).toString());
            assertLetIn(server, rs256(claims().build(), next));
            int twice = fetched.get();
            assertThat(twice).isBetween(2, 4); // a fetch that times out is repeated once
            for (int i = 0; i < 20; i++) {
                assertRejected(
                        server,
                        rs256(
                                claims().build(),
                                new RSAKey.Builder(RSA).keyID("no-" + i).build()));
            }
            assertThat(fetched.get()).isLessThanOrEqualTo(twice + 2);
        } finally {
            issuer.stop(0);
        }
    }

    @Test
    void unreachableKeys_rejectNoToken() throws Exception {
        HttpServer issuer = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        int port = issuer.getAddress().getPort();
        issuer.stop(0);
        try (ServerFixture server = serve("jwks:http://localhost:" + port + "/keys", Tokens.ExpectedClaims.NOTHING)) {
            for (int i = 0; i < 5; i++) { // also after the rate limit of fetches is reached
                assertNoVerdict(server, rs256(claims().build(), RSA));
            }
        }
    }

    /** Requests during a fetch get a response, and none waits long. */
    @Test
    void keysThatTimeOut_rejectNoToken() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                ServerFixture server = serve(
                        "jwks:http://localhost:" + silent.getLocalPort() + "/keys", Tokens.ExpectedClaims.NOTHING)) {
            String token = rs256(claims().build(), RSA);
            List<CompletableFuture<Void>> asking = IntStream.range(0, 8)
                    .mapToObj(i -> runAsync(() -> assertNoVerdict(server, token)))
                    .toList();
            for (CompletableFuture<Void> each : asking) {
                each.get(1, TimeUnit.MINUTES);
            }
        }
    }

    private static void assertNoVerdict(ServerFixture server, String token) {
        Reply reply = server.withToken(token).get("/who");
        assertThat(reply.status()).isEqualTo(503);
        assertThat(reply.text("code")).isEqualTo("keys_unavailable");
        assertThat(reply.header("Retry-After")).isEqualTo("1");
    }

    @Test
    void secretFile_isReadWithoutItsLastLineEnd() throws Exception {
        Path file = Files.writeString(folder.resolve("secret"), SECRET + "\n");
        try (ServerFixture server = serve("secret:" + file, Tokens.ExpectedClaims.NOTHING)) {
            assertLetIn(server, hs256(claims().build(), SECRET));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hunter2hunter2hunter2hunter2hunter2",
                "secret:hunter2hunter2hunter2hunter2hunter2",
                "secret:env:HUNTER2",
                "secret:",
                "jwks:",
                "jwks:hunter2",
                "jwks:http://hunter2.example/keys",
                "jwks:ftp://hunter2.example/keys",
                "jwks:https://"
            })
    void invalidSource_isRejectedWithoutBeingShown(String source) {
        assertThatThrownBy(() -> AuthSource.open(source, Tokens.ExpectedClaims.NOTHING, Map.of(), Time.system()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContainingAny("hunter2", "HUNTER2");
    }

    @Test
    void shortSecret_isRejected() throws Exception {
        Path file = Files.writeString(folder.resolve("secret"), "hunter2\n");
        assertThatThrownBy(
                        () -> AuthSource.open("secret:" + file, Tokens.ExpectedClaims.NOTHING, Map.of(), Time.system()))
                .hasMessageContaining("names a secret of 7 bytes; it must have at least 32")
                .hasMessageNotContaining("hunter2");
    }
}
