package dev.semel.http.servlet;

import static dev.semel.http.servlet.Responses.assertProblem;
import static dev.semel.http.servlet.Responses.isReplay;
import static dev.semel.http.servlet.Responses.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.http.FilterSettings;
import dev.semel.http.Idempotency;
import dev.semel.http.MaxWait;
import dev.semel.once.OnceSettings;
import dev.semel.store.Quota;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The headers of a request, and the order in which they are checked. */
@ParameterizedClass
@EnumSource(Container.class)
class KeyHeadersTest {

    private static final String LONGEST = "k".repeat(255);

    private final Container web;
    private final AtomicInteger runs = new AtomicInteger();
    private final TestApp.Handler handler = (request, response) -> {
        runs.incrementAndGet();
        response.getWriter()
                .print("run " + runs + " of "
                        + IdempotencyFilter.clientTxId(request).orElse("nobody"));
    };

    KeyHeadersTest(Container web) {
        this.web = web;
    }

    @Test
    void requiredHeaders_missing_areNamed() throws Exception {
        try (TestApp app = TestApp.on(web)
                .rule(Idempotency.atomic().withKeyAndClientTxId())
                .serve(handler)) {
            assertProblem(
                    app.post("/").header("X-Client-Tx-Id", "t").send(),
                    400,
                    "missing_idempotency_key",
                    "Missing Idempotency-Key header");
            assertProblem(app.post("/").key("k").send(), 400, "missing_client_tx_id", "Missing X-Client-Tx-Id header");
            assertThat(runs).hasValue(0);
            assertThat(text(app.post("/")
                            .key("k")
                            .header("X-Client-Tx-Id", "\"t-1\"")
                            .send()))
                    .isEqualTo("run 1 of t-1");
        }
    }

    @Test
    void malformedHeaders_areRejectedAndNotReflected() throws Exception {
        List<String> malformed = List.of(
                "",
                "\"\"",
                "\"",
                "\"k",
                "k\"",
                "a b",
                "a,b",
                "k;p=1",
                "\"k\";p=1",
                "k.1",
                "'k'",
                "ké",
                "<script>",
                LONGEST + "k");
        try (TestApp app = TestApp.on(web).serve(handler)) {
            for (String value : malformed) {
                HttpResponse<byte[]> key = app.post("/").key(value).send();
                assertProblem(key, 400, "invalid_idempotency_key", "Invalid Idempotency-Key format");
                HttpResponse<byte[]> tx =
                        app.post("/").key("k").header("X-Client-Tx-Id", value).send();
                assertProblem(tx, 400, "invalid_client_tx_id", "Invalid X-Client-Tx-Id format");
                assertThat(text(key) + text(tx)).doesNotContain("script", "é", LONGEST);
            }
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void malformedHeader_isReported_withTheCharacterThatIsWrong() throws Exception {
        Map<String, String> details = Map.of(
                "a b",
                " has a U+0020 (at 1); expected 1 to 255 of 0-9A-Za-z_-",
                "\"k.1\"",
                " has a '.' (at 1); expected 1 to 255 of 0-9A-Za-z_-",
                "",
                " is empty; expected 1 to 255 of 0-9A-Za-z_-",
                LONGEST + "k",
                " has 256 characters; expected 1 to 255 of 0-9A-Za-z_-");
        try (TestApp app = TestApp.on(web).serve(handler)) {
            for (Map.Entry<String, String> each : details.entrySet()) {
                assertThat(text(app.post("/").key(each.getKey()).send()))
                        .contains("\"detail\":\"Idempotency-Key" + each.getValue() + "\"");
                assertThat(text(app.post("/")
                                .key("k")
                                .header("X-Client-Tx-Id", each.getKey())
                                .send()))
                        .contains("\"detail\":\"X-Client-Tx-Id" + each.getValue() + "\"");
            }
            assertThat(text(app.post("/").key("k").key("k").send()))
                    .contains("\"detail\":\"Idempotency-Key is sent 2 times; expected one value\"");
        }
    }

    @Test
    void ruleThatAcceptsAnyKey_acceptsEveryStringOfRfc8941() throws Exception {
        try (TestApp app =
                TestApp.on(web).rule(Idempotency.atomic().withAnyKey()).serve(handler)) {
            List<String> values = List.of(
                    "a b",
                    "order:1/2",
                    "k;p=1",
                    "\"quo\\\"te\"",
                    "\"back\\\\slash\"",
                    "back\\slash2",
                    "..",
                    "<>{}",
                    "~".repeat(255));
            for (String value : values) {
                assertThat(isReplay(app.post("/").key(value).send())).isFalse();
                assertThat(isReplay(app.post("/").key(value).send())).isTrue();
            }
            assertThat(runs).hasValue(values.size());
            assertThat(isReplay(app.post("/").key("\"a b\"").send())).isTrue();
            assertThat(isReplay(app.post("/").key("back\\slash").send())).isTrue();
            assertThat(runs).hasValue(values.size());
            List<String> malformed =
                    List.of("", "\"\"", "\"", "\"k", "\"k\";p=1", "\"k\"k\"", "\"\\k\"", "\"k\\\"", "~".repeat(256));
            for (String value : malformed) {
                HttpResponse<byte[]> reply = app.post("/").key(value).send();
                assertProblem(reply, 400, "invalid_idempotency_key", "Invalid Idempotency-Key format");
                assertThat(text(reply)).contains("bare or as a quoted string of RFC 8941");
            }
            assertThat(runs).hasValue(values.size());
        }
    }

    @Test
    void headerSentTwice_isRejectedEvenIfEqual() throws Exception {
        try (TestApp app = TestApp.on(web).serve(handler)) {
            assertProblem(
                    app.post("/").key("k").key("k").send(),
                    400,
                    "invalid_idempotency_key",
                    "Invalid Idempotency-Key format");
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void bytesThatNoHeaderMayHold_areRejected() throws Exception {
        try (TestApp app = TestApp.on(web).serve(handler)) {
            for (String value : List.of("k\u0000", "k\u0001", "\u00ff\u00fe", "k\rX-User: bob", "k\n b", "k\u007f")) {
                String reply = app.raw("POST / HTTP/1.1\r\nHost: a\r\nX-User: ann\r\nConnection: close\r\n"
                        + "Content-Length: 0\r\nIdempotency-Key: " + value + "\r\n\r\n");
                assertThat(reply).startsWith("HTTP/1.1 400");
            }
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void hugeHeader_isRejected() throws Exception {
        try (TestApp app = TestApp.on(web).serve(handler)) {
            String reply;
            try {
                reply = app.raw("POST / HTTP/1.1\r\nHost: a\r\nX-User: ann\r\nContent-Length: 0\r\nIdempotency-Key: "
                        + "k".repeat(10 << 20) + "\r\n\r\n");
            } catch (IOException e) {
                reply = "HTTP/1.1 4 closed while it was sent";
            }
            assertThat(reply).startsWith("HTTP/1.1 4");
            assertThat(runs).hasValue(0);
            assertThat(text(app.post("/").key(LONGEST).send())).startsWith("run 1");
        }
    }

    @Test
    void optionalKeyThatIsNotSent_passesTheRequestOn() throws Exception {
        try (TestApp app = TestApp.on(web).serve((request, response) -> {
            assertThat(IdempotencyFilter.transactionIfAny(request)).isEmpty();
            assertThat(IdempotencyFilter.lease(request)).isEmpty();
            IdempotencyFilter.doNotRecord(request);
            handler.handle(request, response);
        })) {
            HttpResponse<byte[]> first = app.post("/").user(null).send();
            HttpResponse<byte[]> second = app.post("/").user(null).send();
            assertThat(List.of(text(first), text(second))).containsExactly("run 1 of nobody", "run 2 of nobody");
            assertThat(first.headers().firstValue("Idempotency-Expires")).isEmpty();
        }
    }

    @Test
    void safeMethod_isPassedOn() throws Exception {
        try (TestApp app = TestApp.on(web)
                .rule(Idempotency.atomic().withKeyAndClientTxId())
                .serve(handler)) {
            for (String method : List.of("GET", "HEAD", "OPTIONS")) {
                assertThat(app.ask(method, "/").key("not a key").send().statusCode())
                        .isEqualTo(200);
                assertThat(app.ask(method, "/").key("k").send().statusCode()).isEqualTo(200);
            }
            assertThat(runs).hasValue(6);
        }
    }

    @Test
    void routeWithoutKeys_isPassedOn() throws Exception {
        try (TestApp app = TestApp.on(web).rule(Idempotency.NONE).serve(handler)) {
            app.post("/").key("k").send();
            app.post("/").key("k").send();
            assertThat(runs).hasValue(2);
        }
    }

    @Test
    void clientTxIdThatIsNotSent_isMinted() throws Exception {
        try (TestApp app = TestApp.on(web).serve(handler)) {
            assertThat(text(app.post("/").key("k").send())).matches("run 1 of [0-9A-Za-z]{17}");
        }
    }

    @Test
    void sameKeyOnAnotherEndpoint_isAnotherKey() throws Exception {
        try (TestApp app = TestApp.on(web).serve(handler)) {
            assertThat(isReplay(app.post("/a").key("k").send())).isFalse();
            assertThat(isReplay(app.post("/b").key("k").send())).isFalse();
            assertThat(isReplay(app.post("/A").key("k").send())).isFalse();
            assertThat(isReplay(app.ask("PUT", "/a").key("k").send())).isFalse();
            assertThat(isReplay(app.post("/a").user("bob").key("k").send())).isFalse();
            assertThat(isReplay(app.post("/a").key("K").send())).isFalse();
            assertThat(runs).hasValue(6);
            assertThat(isReplay(app.post("/a").key("\"k\"").send())).isTrue();
            assertThat(isReplay(app.post("/%61").key("k").send())).isTrue();
            assertThat(runs).hasValue(6);
        }
    }

    @Test
    void sessionInThePath_doesNotBelongToTheKey() throws Exception {
        try (TestApp app = TestApp.on(web).serve(handler)) {
            assertThat(isReplay(app.post("/a;jsessionid=node01").key("k").send()))
                    .isFalse();
            assertThat(isReplay(app.post("/a;jsessionid=node02").key("k").send()))
                    .isTrue();
            assertThat(isReplay(app.post("/a").key("k").send())).isTrue();
            assertThat(isReplay(app.post("/a;v=1").key("k").send())).isFalse();
            assertThat(runs).hasValue(2);
        }
    }

    @Test
    void pathThatIsTooLongForAKey_isRejected() throws Exception {
        try (TestApp app = TestApp.on(web).serve(handler)) {
            HttpResponse<byte[]> reply =
                    app.post("/" + "p".repeat(3000)).key("k").send();
            assertProblem(reply, 400, "invalid_path", "Invalid path");
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void unknownUser_isRejectedFirst() throws Exception {
        try (TestApp app = TestApp.on(web).rule(Idempotency.atomic().withKey()).serve(handler)) {
            assertProblem(app.post("/").user("").send(), 401, "unauthenticated", "Not signed in");
            assertProblem(app.post("/").user("").key("not a key").send(), 401, "unauthenticated", "Not signed in");
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void signedInUser_isAcceptedWithAnyName() throws Exception {
        try (TestApp app = TestApp.on(web).rule(Idempotency.atomic().withKey()).serve(handler)) {
            List<String> users = List.of("bob@example.com", "auth0|42", "ann,bob", "a/b", "CN=Bob, O=Example", "...");
            for (String user : users) {
                assertThat(isReplay(app.post("/").user(user).key("k").send())).isFalse();
                assertThat(isReplay(app.post("/").user(user).key("k").send())).isTrue();
            }
            assertThat(runs).hasValue(users.size());
        }
    }

    @Test
    void signedInUser_whoseNameIsInvalid_isNotToldToSignIn() throws Exception {
        try (TestApp app = TestApp.on(web).serve(handler)) {
            for (String user : List.of(".", "..", "a".repeat(256))) {
                HttpResponse<byte[]> reply = app.post("/").user(user).key("k").send();
                assertProblem(reply, 400, "invalid_user", "Invalid user name");
            }
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void headers_areCheckedBeforeTheSize() throws Exception {
        try (TestApp app =
                TestApp.on(web).settings(new FilterSettings(10, 10, 10)).serve(handler)) {
            var large = BodyPublishers.ofString("x".repeat(11));
            assertProblem(
                    app.post("/").key("a b").body(large).send(),
                    400,
                    "invalid_idempotency_key",
                    "Invalid Idempotency-Key format");
            assertProblem(app.post("/").key("k").body(large).send(), 413, "payload_too_large", "Payload too large");
            assertThat(app.post("/").key("k").body("x".repeat(10)).send().statusCode())
                    .isEqualTo(200);
            assertProblem(app.post("/").key("k").body(large).send(), 413, "payload_too_large", "Payload too large");
        }
    }

    @Test
    void storedKey_isCheckedBeforeTheRateLimit() throws Exception {
        OnceSettings two = OnceSettings.DEFAULTS.withQuota(new Quota(2, Duration.ofHours(1)));
        try (TestApp app = TestApp.on(web).once(two).serve(handler)) {
            app.post("/").key("k1").json("1").send();
            app.time.advance(Duration.ofMillis(500).plusNanos(1));
            app.post("/").key("k2").json("1").send();
            HttpResponse<byte[]> third = app.post("/").key("k3").json("1").send();
            assertProblem(third, 429, "rate_limited", "Too many new idempotency keys");
            assertThat(text(third)).contains("\"retry_after\":3599500"); // rounded up
            assertThat(Responses.header(third, "Retry-After")).isEqualTo("3600");
            assertThat(isReplay(app.post("/").key("k1").json("1.0").send())).isTrue();
            assertThat(app.post("/").key("k1").json("2").send().statusCode()).isEqualTo(422);
            assertThat(runs).hasValue(2);
            assertThat(app.post("/").key("k3").user("bob").send().statusCode()).isEqualTo(200);
        }
    }

    @Test
    void preferHeader_setsTheMaximumWait() throws Exception {
        Map<String, String> seconds = Map.ofEntries(
                Map.entry("wait=10", "PT10S"),
                Map.entry("wait=30", "PT30S"),
                Map.entry("wait=31", "PT30S"),
                Map.entry("wait=99999999999999999999", "PT30S"),
                Map.entry("WAIT = \"7\"", "PT7S"),
                Map.entry("respond-async, wait=5; foo=bar, wait=9", "PT5S"),
                Map.entry("foo=\"a,wait=3;\\\"\", wait=4", "PT4S"),
                Map.entry("wait=0", "PT0S"),
                Map.entry("wait=-1", "PT0S"),
                Map.entry("wait=1.5", "PT0S"),
                Map.entry("wait=x, wait=4", "PT0S"),
                Map.entry("wait", "PT0S"),
                Map.entry("wait=", "PT0S"),
                Map.entry("=3", "PT0S"),
                Map.entry(",;,\"", "PT0S"),
                Map.entry("await=3", "PT0S"));
        try (TestApp app = TestApp.on(web)
                .serve((request, response) ->
                        response.getWriter().print(MaxWait.of(new ServletRequestView(request))))) {
            for (Map.Entry<String, String> example : seconds.entrySet()) {
                assertThat(text(app.ask("GET", "/")
                                .header("Prefer", example.getKey())
                                .send()))
                        .as(example.getKey())
                        .isEqualTo(example.getValue());
            }
            HttpResponse<byte[]> twice = app.ask("GET", "/")
                    .header("Prefer", "a")
                    .header("Prefer", "wait=3")
                    .send();
            assertThat(text(twice)).isEqualTo("PT3S");
        }
    }
}
