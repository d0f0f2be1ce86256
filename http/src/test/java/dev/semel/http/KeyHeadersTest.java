package dev.semel.http;

import static dev.semel.http.Answers.assertProblem;
import static dev.semel.http.Answers.isReplay;
import static dev.semel.http.Answers.text;
import static org.assertj.core.api.Assertions.assertThat;

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

/** What the headers of a request may say, and what is looked at first. */
@ParameterizedClass
@EnumSource(Web.class)
class KeyHeadersTest {

    private static final String LONGEST = "k".repeat(255);

    private final Web web;
    private final AtomicInteger runs = new AtomicInteger();
    private final Site.Handler handler = (request, response) -> {
        runs.incrementAndGet();
        response.getWriter()
                .print("run " + runs + " of "
                        + IdempotencyFilter.clientTxId(request).orElse("nobody"));
    };

    KeyHeadersTest(Web web) {
        this.web = web;
    }

    @Test
    void requiredHeaders_missing_areNamed() throws Exception {
        try (Site site =
                Site.on(web).rule(Idempotency.atomic().withKeyAndClientTxId()).serve(handler)) {
            assertProblem(
                    site.post("/").header("X-Client-Tx-Id", "t").send(),
                    400,
                    "missing_idempotency_key",
                    "Missing Idempotency-Key header");
            assertProblem(site.post("/").key("k").send(), 400, "missing_client_tx_id", "Missing X-Client-Tx-Id header");
            assertThat(runs).hasValue(0);
            assertThat(text(site.post("/")
                            .key("k")
                            .header("X-Client-Tx-Id", "\"t-1\"")
                            .send()))
                    .isEqualTo("run 1 of t-1");
        }
    }

    @Test
    void malformedHeaders_areRefusedAndNotReflected() throws Exception {
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
        try (Site site = Site.on(web).serve(handler)) {
            for (String value : malformed) {
                HttpResponse<byte[]> key = site.post("/").key(value).send();
                assertProblem(key, 400, "invalid_idempotency_key", "Invalid Idempotency-Key format");
                HttpResponse<byte[]> tx =
                        site.post("/").key("k").header("X-Client-Tx-Id", value).send();
                assertProblem(tx, 400, "invalid_client_tx_id", "Invalid X-Client-Tx-Id format");
                assertThat(text(key) + text(tx)).doesNotContain("script", "é", LONGEST);
            }
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void headerSentTwice_isRefusedEvenIfItIsTheSame() throws Exception {
        try (Site site = Site.on(web).serve(handler)) {
            assertProblem(
                    site.post("/").key("k").key("k").send(),
                    400,
                    "invalid_idempotency_key",
                    "Invalid Idempotency-Key format");
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void bytesThatNoHeaderMayHold_areRefused() throws Exception {
        try (Site site = Site.on(web).serve(handler)) {
            for (String value : List.of("k\u0000", "k\u0001", "\u00ff\u00fe", "k\rX-User: bob", "k\n b", "k\u007f")) {
                String answer = site.raw("POST / HTTP/1.1\r\nHost: a\r\nX-User: ann\r\nConnection: close\r\n"
                        + "Content-Length: 0\r\nIdempotency-Key: " + value + "\r\n\r\n");
                assertThat(answer).startsWith("HTTP/1.1 400");
            }
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void hugeHeader_isRefused() throws Exception {
        try (Site site = Site.on(web).serve(handler)) {
            String answer;
            try {
                answer = site.raw("POST / HTTP/1.1\r\nHost: a\r\nX-User: ann\r\nContent-Length: 0\r\nIdempotency-Key: "
                        + "k".repeat(10 << 20) + "\r\n\r\n");
            } catch (IOException e) {
                answer = "HTTP/1.1 4 closed while it was sent";
            }
            assertThat(answer).startsWith("HTTP/1.1 4");
            assertThat(runs).hasValue(0);
            assertThat(text(site.post("/").key(LONGEST).send())).startsWith("run 1");
        }
    }

    @Test
    void keyThatIsOptionalAndNotSent_letsTheRequestThrough() throws Exception {
        try (Site site = Site.on(web).serve((request, response) -> {
            assertThat(IdempotencyFilter.transactionIfAny(request)).isEmpty();
            assertThat(IdempotencyFilter.lease(request)).isEmpty();
            IdempotencyFilter.doNotRecord(request);
            handler.handle(request, response);
        })) {
            HttpResponse<byte[]> first = site.post("/").user(null).send();
            HttpResponse<byte[]> second = site.post("/").user(null).send();
            assertThat(List.of(text(first), text(second))).containsExactly("run 1 of nobody", "run 2 of nobody");
            assertThat(first.headers().firstValue("Idempotency-Expires")).isEmpty();
        }
    }

    @Test
    void requestThatOnlyReads_isLetThrough() throws Exception {
        try (Site site =
                Site.on(web).rule(Idempotency.atomic().withKeyAndClientTxId()).serve(handler)) {
            for (String method : List.of("GET", "HEAD", "OPTIONS")) {
                assertThat(site.ask(method, "/").key("not a key").send().statusCode())
                        .isEqualTo(200);
                assertThat(site.ask(method, "/").key("k").send().statusCode()).isEqualTo(200);
            }
            assertThat(runs).hasValue(6);
        }
    }

    @Test
    void routeWithoutKeys_isLetThrough() throws Exception {
        try (Site site = Site.on(web).rule(Idempotency.NONE).serve(handler)) {
            site.post("/").key("k").send();
            site.post("/").key("k").send();
            assertThat(runs).hasValue(2);
        }
    }

    @Test
    void clientTxIdThatIsNotSent_isMade() throws Exception {
        try (Site site = Site.on(web).serve(handler)) {
            assertThat(text(site.post("/").key("k").send())).matches("run 1 of [0-9A-Za-z]{17}");
        }
    }

    @Test
    void keyElsewhere_isAnotherKey() throws Exception {
        try (Site site = Site.on(web).serve(handler)) {
            assertThat(isReplay(site.post("/a").key("k").send())).isFalse();
            assertThat(isReplay(site.post("/b").key("k").send())).isFalse();
            assertThat(isReplay(site.post("/A").key("k").send())).isFalse();
            assertThat(isReplay(site.ask("PUT", "/a").key("k").send())).isFalse();
            assertThat(isReplay(site.post("/a").user("bob").key("k").send())).isFalse();
            assertThat(isReplay(site.post("/a").key("K").send())).isFalse();
            assertThat(runs).hasValue(6);
            assertThat(isReplay(site.post("/a").key("\"k\"").send())).isTrue();
            assertThat(isReplay(site.post("/%61").key("k").send())).isTrue();
            assertThat(runs).hasValue(6);
        }
    }

    @Test
    void pathThatIsTooLongForAKey_isRefused() throws Exception {
        try (Site site = Site.on(web).serve(handler)) {
            HttpResponse<byte[]> answer =
                    site.post("/" + "p".repeat(3000)).key("k").send();
            assertProblem(answer, 400, "invalid_path", "Invalid path");
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void nobody_isRefusedBeforeAllElse() throws Exception {
        try (Site site = Site.on(web).rule(Idempotency.atomic().withKey()).serve(handler)) {
            for (String user : List.of("", "ann@example.org", "a".repeat(256))) {
                assertProblem(site.post("/").user(user).send(), 401, "unauthenticated", "Not signed in");
                HttpResponse<byte[]> answer =
                        site.post("/").user(user).key("not a key").send();
                assertProblem(answer, 401, "unauthenticated", "Not signed in");
                assertThat(text(answer)).doesNotContain("example");
            }
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void headers_areLookedAtBeforeTheSize() throws Exception {
        try (Site site = Site.on(web).settings(new FilterSettings(10, 10, 10)).serve(handler)) {
            var large = BodyPublishers.ofString("x".repeat(11));
            assertProblem(
                    site.post("/").key("a b").body(large).send(),
                    400,
                    "invalid_idempotency_key",
                    "Invalid Idempotency-Key format");
            assertProblem(site.post("/").key("k").body(large).send(), 413, "payload_too_large", "Payload too large");
            assertThat(site.post("/").key("k").body("x".repeat(10)).send().statusCode())
                    .isEqualTo(200);
            assertProblem(site.post("/").key("k").body(large).send(), 413, "payload_too_large", "Payload too large");
        }
    }

    @Test
    void whatIsStored_isLookedAtBeforeTheRateLimit() throws Exception {
        OnceSettings two = OnceSettings.DEFAULTS.withQuota(new Quota(2, Duration.ofHours(1)));
        try (Site site = Site.on(web).once(two).serve(handler)) {
            site.post("/").key("k1").json("1").send();
            site.time.advance(Duration.ofMillis(500).plusNanos(1));
            site.post("/").key("k2").json("1").send();
            HttpResponse<byte[]> third = site.post("/").key("k3").json("1").send();
            assertProblem(third, 429, "rate_limited", "Too many new idempotency keys");
            assertThat(text(third)).contains("\"retry_after\":3599500"); // rounded up
            assertThat(Answers.header(third, "Retry-After")).isEqualTo("3600");
            assertThat(isReplay(site.post("/").key("k1").json("1.0").send())).isTrue();
            assertThat(site.post("/").key("k1").json("2").send().statusCode()).isEqualTo(422);
            assertThat(runs).hasValue(2);
            assertThat(site.post("/").key("k3").user("bob").send().statusCode()).isEqualTo(200);
        }
    }

    @Test
    void preferences_areReadAsTheyAreWritten() throws Exception {
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
        try (Site site =
                Site.on(web).serve((request, response) -> response.getWriter().print(KeyHeaders.patience(request)))) {
            for (Map.Entry<String, String> example : seconds.entrySet()) {
                assertThat(text(site.ask("GET", "/")
                                .header("Prefer", example.getKey())
                                .send()))
                        .as(example.getKey())
                        .isEqualTo(example.getValue());
            }
            HttpResponse<byte[]> twice = site.ask("GET", "/")
                    .header("Prefer", "a")
                    .header("Prefer", "wait=3")
                    .send();
            assertThat(text(twice)).isEqualTo("PT3S");
        }
    }
}
