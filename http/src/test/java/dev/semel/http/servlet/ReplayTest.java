package dev.semel.http.servlet;

import static dev.semel.http.servlet.Responses.assertProblem;
import static dev.semel.http.servlet.Responses.header;
import static dev.semel.http.servlet.Responses.isReplay;
import static dev.semel.http.servlet.Responses.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.http.FilterSettings;
import dev.semel.http.Idempotency;
import dev.semel.once.OnceSettings;
import dev.semel.store.IfAbandoned;
import jakarta.servlet.Filter;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Recorded responses, as retries get them. */
@ParameterizedClass
@EnumSource(Container.class)
class ReplayTest {

    private static final List<Idempotency> MODES = List.of(Idempotency.atomic(), Idempotency.leased(IfAbandoned.RERUN));

    private final Container web;
    private final AtomicInteger runs = new AtomicInteger();

    ReplayTest(Container web) {
        this.web = web;
    }

    private record Twice(HttpResponse<byte[]> first, HttpResponse<byte[]> again) {

        void assertSame(String... headers) {
            assertThat(isReplay(first)).isFalse();
            assertThat(isReplay(again)).isTrue();
            assertThat(again.statusCode()).isEqualTo(first.statusCode());
            assertThat(again.body()).isEqualTo(first.body());
            for (String name : headers) {
                assertThat(first.headers().allValues(name)).as(name).isNotEmpty();
                assertThat(again.headers().allValues(name))
                        .as(name)
                        .isEqualTo(first.headers().allValues(name));
            }
        }
    }

    private Twice twice(TestApp.Handler handler) throws Exception {
        try (TestApp app = TestApp.on(web).serve(handler)) {
            return new Twice(
                    app.post("/").key("k").send(), app.post("/").key("k").send());
        }
    }

    @Test
    void retry_getsTheSameBytes() throws Exception {
        for (Idempotency mode : MODES) {
            runs.set(0);
            try (TestApp app = TestApp.on(web).rule(mode).serve((request, response) -> {
                runs.incrementAndGet();
                response.setStatus(201);
                response.setContentType("application/json");
                response.getOutputStream().write(request.getInputStream().readAllBytes());
            })) {
                HttpResponse<byte[]> first =
                        app.post("/things").key("k").json("{\"a\": \"é\"}").send();
                HttpResponse<byte[]> again = app.post("/things")
                        .key("\"k\"")
                        .json("{ \"a\":\"\\u00e9\" }")
                        .send();
                new Twice(first, again).assertSame("Content-Type", "Content-Length");
                assertThat(text(first)).isEqualTo("{\"a\": \"é\"}");
                assertThat(header(first, "Content-Type")).isEqualTo("application/json");
                assertThat(header(first, "Idempotency-Expires")).isEqualTo("2026-01-08T12:00:00Z");
                assertThat(header(again, "Idempotency-Expires")).isEmpty();
                assertThat(runs).hasValue(1);
            }
        }
    }

    @Test
    void bytesOfAnyKind_areReplayed() throws Exception {
        byte[] bytes = new byte[300_000];
        new Random(7).nextBytes(bytes);
        for (Idempotency mode : MODES) {
            try (TestApp app = TestApp.on(web).rule(mode).serve((request, response) -> {
                response.setContentType("application/octet-stream");
                response.getOutputStream().write(bytes);
            })) {
                Twice twice = new Twice(
                        app.post("/").key("k").send(), app.post("/").key("k").send());
                twice.assertSame("Content-Type");
                assertThat(twice.again.body()).isEqualTo(bytes);
            }
        }
    }

    @Test
    void headersAboutTheResponse_areReplayed() throws Exception {
        Twice twice = twice((request, response) -> {
            response.setStatus(201);
            response.setHeader("Content-Type", "text/plain;charset=UTF-8");
            response.setHeader("ETag", "\"3\"");
            response.setHeader("location", "/things/3");
            response.setHeader("Cache-Control", "no-store");
            response.setHeader("Link", "</a>; rel=a");
            response.setDateHeader("Last-Modified", 0);
            response.setLocale(Locale.CANADA_FRENCH);
            response.getWriter().print("œ");
        });
        twice.assertSame(
                "Content-Type", "ETag", "Location", "Cache-Control", "Link", "Last-Modified", "Content-Language");
        assertThat(header(twice.again, "Last-Modified")).isEqualTo("Thu, 01 Jan 1970 00:00:00 GMT");
        assertThat(header(twice.again, "Content-Language")).isEqualTo("fr-CA");
    }

    @Test
    void headersOfTheFirstCallerOrOfTheContainer_areNotReplayed() throws Exception {
        List<String> never = List.of(
                "Authorization",
                "Set-Cookie",
                "Access-Control-Allow-Origin",
                "Content-Security-Policy",
                "traceparent",
                "X-Request-Id",
                "Strict-Transport-Security");
        Twice twice = twice((request, response) -> {
            never.forEach(name -> response.addHeader(name, "a=b"));
            response.addCookie(new Cookie("session", "secret"));
            response.addIntHeader("X-Cost", 3);
        });
        for (String name : never) {
            assertThat(twice.first.headers().firstValue(name)).as(name).isPresent();
            assertThat(twice.again.headers().firstValue(name)).as(name).isEmpty();
        }
        assertThat(twice.first.headers().allValues("Set-Cookie")).hasSize(2);
        assertThat(header(twice.first, "X-Cost")).isEqualTo("3");
    }

    @Test
    void headersOfFiltersInFront_areSetAgain() throws Exception {
        AtomicInteger requests = new AtomicInteger();
        Filter inFront = (request, response, chain) -> {
            HttpServletResponse http = (HttpServletResponse) response;
            http.setHeader("X-Request-Id", "r" + requests.incrementAndGet());
            http.addHeader("Vary", "Origin");
            chain.doFilter(request, response);
        };
        try (TestApp app = TestApp.on(web).inFront(inFront).serve((request, response) -> {
            assertThat(response.getHeader("X-Request-Id")).isEqualTo("r1");
            assertThat(response.containsHeader("x-request-id")).isTrue();
            response.addHeader("Vary", "Accept");
            assertThat(response.getHeaders("vary")).containsExactly("Origin", "Accept");
            assertThat(response.getHeaderNames()).contains("Vary", "X-Request-Id");
        })) {
            HttpResponse<byte[]> first = app.post("/").key("k").send();
            assertThat(header(first, "X-Request-Id")).isEqualTo("r1");
            assertThat(first.headers().allValues("Vary")).containsExactly("Origin", "Accept");
            HttpResponse<byte[]> again = app.post("/").key("k").send();
            assertThat(header(again, "X-Request-Id")).isEqualTo("r2");
            assertThat(again.headers().allValues("Vary")).containsExactly("Origin");
        }
    }

    @Test
    void textOfAWriter_isEncodedAndReplayedAsTheContainerWould() throws Exception {
        for (String type :
                List.of("text/plain", "application/json", "text/html;charset=utf-16", "text/csv;charset=UTF-8")) {
            TestApp.Handler handler = (request, response) -> {
                response.setContentType(type);
                response.getWriter().print("é");
                response.setCharacterEncoding("utf-7"); // too late
            };
            try (TestApp app = TestApp.on(web).serve(handler)) {
                HttpResponse<byte[]> without = app.post("/").send();
                HttpResponse<byte[]> first = app.post("/").key("k").send();
                assertThat(first.body()).as(type).isEqualTo(without.body());
                assertThat(header(first, "Content-Type")).isEqualToIgnoringCase(header(without, "Content-Type"));
                new Twice(first, app.post("/").key("k").send()).assertSame("Content-Type");
            }
        }
    }

    @Test
    void emptyResponse_isReplayed() throws Exception {
        Twice twice = twice((request, response) -> response.setStatus(204));
        twice.assertSame();
        assertThat(twice.again.statusCode()).isEqualTo(204);
        assertThat(twice.again.body()).isEmpty();
    }

    @Test
    void redirect_isReplayed() throws Exception {
        Twice twice = twice((request, response) -> {
            response.getWriter().print("gone before it is sent");
            response.sendRedirect("/elsewhere");
            response.getWriter().print("too late");
            response.setHeader("ETag", "too late");
        });
        twice.assertSame("Location");
        assertThat(twice.again.statusCode()).isEqualTo(302);
        assertThat(header(twice.again, "Location")).endsWith("/elsewhere");
        assertThat(twice.again.body()).isEmpty();
        assertThat(header(twice.first, "ETag")).isEmpty();
    }

    @Test
    void sendError_getsTheErrorPageOfTheContainer() throws Exception {
        for (String message : new String[] {"There is no such thing", "", null}) {
            for (Idempotency mode : MODES) {
                runs.set(0);
                try (TestApp app = TestApp.on(web).rule(mode).serve((request, response) -> {
                    runs.incrementAndGet();
                    response.setContentType("text/plain");
                    response.getOutputStream().print("gone before it is sent");
                    if (message == null) {
                        response.sendError(404);
                    } else {
                        response.sendError(404, message);
                    }
                    assertThat(response.isCommitted()).isTrue();
                })) {
                    HttpResponse<byte[]> without = app.post("/").send();
                    HttpResponse<byte[]> first = app.post("/").key("k").send();
                    new Twice(first, app.post("/").key("k").send()).assertSame("Content-Type");
                    assertThat(first.statusCode()).isEqualTo(404);
                    assertThat(text(first)).isEqualTo(text(without)).doesNotContain("gone");
                    assertThat(header(first, "Content-Type")).isEqualTo(header(without, "Content-Type"));
                    assertThat(header(first, "Semel-Error")).isEmpty();
                    assertThat(runs).hasValue(2);
                }
            }
        }
    }

    @Test
    void sendErrorWithAFailure_getsTheErrorPageOfTheApplicationAndRunsAgain() throws Exception {
        for (Idempotency mode : MODES) {
            try (TestApp app = TestApp.on(web).rule(mode).serve((request, response) -> {
                if (request.getRequestURI().equals(Container.ERRORS)) {
                    response.getWriter().print("the application's own page");
                } else {
                    runs.incrementAndGet();
                    response.sendError(500, "broken");
                }
            })) {
                runs.set(0);
                for (int i = 1; i <= 2; i++) {
                    HttpResponse<byte[]> reply = app.post("/").key("k").send();
                    assertThat(reply.statusCode()).isEqualTo(500);
                    assertThat(text(reply)).isEqualTo("the application's own page");
                    assertThat(runs).hasValue(i);
                }
            }
        }
    }

    @Test
    void cookieOfASession_isKeptBesideOneOfTheHandler() throws Exception {
        try (TestApp app = TestApp.on(web).serve((request, response) -> {
            response.setHeader("Set-Cookie", "a=b");
            request.getSession();
            response.getWriter().print(response.getHeaders("Set-Cookie"));
        })) {
            HttpResponse<byte[]> reply = app.post("/").key("k").send();
            List<String> cookies = reply.headers().allValues("Set-Cookie");
            assertThat(cookies)
                    .as(text(reply))
                    .hasSize(2)
                    .contains("a=b")
                    .anyMatch(cookie -> cookie.startsWith("JSESSIONID="));
        }
    }

    @Test
    void sessionInALocation_isNotReplayed() throws Exception {
        Twice twice = twice((request, response) -> {
            response.setStatus(201);
            response.setHeader("Location", "/orders/1;jsessionid=node0123?a=1");
            response.setHeader("Link", "</a;JSESSIONID=0123>; rel=next");
        });
        assertThat(header(twice.first, "Location")).isEqualTo("/orders/1;jsessionid=node0123?a=1");
        assertThat(header(twice.again, "Location")).isEqualTo("/orders/1?a=1");
        assertThat(header(twice.again, "Link")).isEqualTo("</a>; rel=next");
    }

    @Test
    void resetResponse_hasNothingOfTheEarlierOne() throws Exception {
        Twice twice = twice((request, response) -> {
            response.setStatus(500);
            response.setContentType("text/html;charset=utf-8");
            response.setHeader("ETag", "\"1\"");
            response.getWriter().print("before");
            response.reset();
            response.setContentType("application/json");
            response.getOutputStream().print("{}");
            response.flushBuffer();
        });
        twice.assertSame("Content-Type");
        assertThat(twice.first.statusCode()).isEqualTo(200);
        assertThat(text(twice.first)).isEqualTo("{}");
        assertThat(header(twice.first, "Content-Type")).isEqualTo("application/json");
        assertThat(header(twice.first, "ETag")).isEmpty();
    }

    @Test
    void responseTooLargeToKeep_isSentWholeToTheFirstCaller() throws Exception {
        OnceSettings small = OnceSettings.DEFAULTS.withResponseLimit(100_000);
        FilterSettings streaming = new FilterSettings(1 << 20, 64 << 10, 100_000);
        for (Idempotency mode : MODES) {
            runs.set(0);
            TestApp.Builder builder = TestApp.on(web).rule(mode).once(small).settings(streaming);
            try (TestApp app = builder.serve((request, response) -> {
                runs.incrementAndGet();
                response.setStatus(201);
                for (int i = 0; i < 100; i++) {
                    response.getOutputStream().write(new byte[2_000]);
                }
            })) {
                HttpResponse<byte[]> first = app.post("/").key("k").send();
                assertThat(first.statusCode()).isEqualTo(201);
                assertThat(first.body()).hasSize(200_000);
                HttpResponse<byte[]> again = app.post("/").key("k").send();
                assertProblem(again, 201, "response_not_kept", "Response not kept");
                assertThat(isReplay(again)).isTrue();
                assertThat(runs).hasValue(1);
            }
        }
    }

    @Test
    void responseOfTheLargestSize_isReplayed() throws Exception {
        for (Idempotency mode : MODES) {
            try (TestApp app = TestApp.on(web).rule(mode).serve((request, response) -> {
                response.setContentType("application/octet-stream");
                response.getOutputStream().write(new byte[1 << 20]);
            })) {
                new Twice(app.post("/").key("k").send(), app.post("/").key("k").send()).assertSame("Content-Type");
            }
        }
    }

    @Test
    void expiredKey_isNew() throws Exception {
        try (TestApp app = TestApp.on(web)
                .serve((request, response) -> response.getWriter().print(runs.incrementAndGet()))) {
            app.post("/").key("k").send();
            app.time.advance(Duration.ofHours(24).minusMillis(1));
            assertThat(text(app.post("/").key("k").send())).isEqualTo("1");
            app.time.advance(Duration.ofMillis(1));
            assertThat(text(app.post("/").key("k").send())).isEqualTo("2");
        }
    }
}
