package dev.semel.http.servlet;

import static dev.semel.http.servlet.Responses.assertProblem;
import static dev.semel.http.servlet.Responses.isReplay;
import static dev.semel.http.servlet.Responses.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.document.Transactions;
import dev.semel.http.FilterSettings;
import dev.semel.http.Idempotency;
import dev.semel.store.IfAbandoned;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.Part;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Forms, with and without files, parsed by the handler or by a filter in front. */
@ParameterizedClass
@EnumSource(Container.class)
class FormTest {

    private static final String FORM = "application/x-www-form-urlencoded";

    /** As filters against cross-site request forgery do. */
    private static final Filter ASKS_FOR_A_PARAMETER = (request, response, chain) -> {
        request.getParameter("_csrf");
        chain.doFilter(request, response);
    };

    private final Container web;
    private final AtomicInteger runs = new AtomicInteger();
    private final TestApp.Handler parameters = (request, response) -> {
        runs.incrementAndGet();
        Map<String, String> all = new TreeMap<>();
        request.getParameterMap().forEach((name, values) -> all.put(name, Arrays.toString(values)));
        response.setContentType("text/plain;charset=UTF-8");
        response.getWriter().print(all);
    };

    FormTest(Container web) {
        this.web = web;
    }

    private static HttpResponse<byte[]> form(TestApp.RequestBuilder request, String body) throws Exception {
        return request.header("Content-Type", FORM).body(body).send();
    }

    @Test
    void form_isReadAsParameters() throws Exception {
        try (TestApp app = TestApp.on(web).serve((request, response) -> {
            Map<String, String[]> all = request.getParameterMap();
            response.setCharacterEncoding("UTF-8");
            response.getWriter()
                    .print(request.getParameter("a")
                            + Arrays.toString(request.getParameterValues("b"))
                            + request.getParameter("none")
                            + Arrays.toString(request.getParameterValues("none"))
                            + Collections.list(request.getParameterNames())
                            + all.size());
        })) {
            HttpResponse<byte[]> reply = app.post("/?b=0&q=%20")
                    .key("k")
                    .header("Content-Type", FORM + ";charset=UTF-8")
                    .body("a=%C3%A9+1&b=1&&b=2&c&=d")
                    .send();
            assertThat(text(reply)).isEqualTo("é 1[0, 1, 2]nullnull[b, q, a, c, ]5");
        }
    }

    @Test
    void formInAnotherEncoding_isDecodedWithIt() throws Exception {
        try (TestApp app = TestApp.on(web).serve((request, response) -> {
            request.setCharacterEncoding("ISO-8859-1");
            response.setCharacterEncoding("UTF-8");
            response.getWriter().print(request.getParameter("a"));
        })) {
            HttpResponse<byte[]> reply = app.post("/")
                    .key("k")
                    .header("Content-Type", FORM)
                    .body("a=%E9")
                    .send();
            assertThat(text(reply)).isEqualTo("é");
        }
    }

    @Test
    void formReadAsAStream_isNotReadTwice() throws Exception {
        try (TestApp app = TestApp.on(web).serve((request, response) -> {
            response.getOutputStream().write(request.getInputStream().readAllBytes());
            assertThat(request.getParameter("a")).isNull();
        })) {
            HttpResponse<byte[]> reply = app.post("/")
                    .key("k")
                    .header("Content-Type", FORM)
                    .body("a=1")
                    .send();
            assertThat(text(reply)).isEqualTo("a=1");
        }
    }

    @Test
    void formThatWasParsedInFront_isComparedByItsParameters() throws Exception {
        for (String method : List.of("POST", "PUT", "PATCH")) {
            Filter inFront = method.equals("POST") ? ASKS_FOR_A_PARAMETER : FormTest::parseAndWrap;
            runs.set(0);
            try (TestApp app = TestApp.on(web).inFront(inFront).serve(parameters)) {
                HttpResponse<byte[]> bob = form(app.ask(method, "/?q=1").key("k"), "to=bob&cents=100&to=ann");
                assertThat(text(bob)).isEqualTo("{cents=[100], q=[1], to=[bob, ann]}");
                HttpResponse<byte[]> again = form(app.ask(method, "/?q=1").key("k"), "to=bob&cents=100&to=ann");
                assertThat(text(again)).isEqualTo(text(bob));
                assertThat(isReplay(again)).isTrue();
                for (String other : List.of(
                        "to=eve&cents=99900",
                        "to=ann&cents=100&to=bob",
                        "cents=100&to=bob&to=ann",
                        "to=bob&cents=100",
                        "to=bob&cents=100&to=ann&x",
                        "to=bob&cents=100&to=ann&x=",
                        "")) {
                    HttpResponse<byte[]> reply = form(app.ask(method, "/?q=1").key("k"), other);
                    assertThat(reply.statusCode()).as(other).isEqualTo(422);
                }
                assertThat(form(app.ask(method, "/?q=2").key("k"), "to=bob&cents=100&to=ann")
                                .statusCode())
                        .isEqualTo(422);
                assertThat(runs).hasValue(1);
            }
        }
    }

    @Test
    void formThatWasReadAsAStreamInFront_isRejectedAlthoughTheQueryHasParameters() throws Exception {
        Filter reading = (request, response, chain) -> {
            assertThat(request.getInputStream().readAllBytes()).isNotEmpty();
            chain.doFilter(request, response);
        };
        try (TestApp app = TestApp.on(web).inFront(reading).serve(parameters)) {
            HttpResponse<byte[]> reply = form(app.post("/?q=1&r").key("k"), "to=bob");
            assertProblem(reply, 400, "unreadable_body", "Unreadable request body");
            assertThat(runs).hasValue(0);
        }
    }

    /** Parses a form itself, for methods whose forms containers do not parse. */
    private static void parseAndWrap(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        HttpServletRequest http = (HttpServletRequest) request;
        String query = http.getQueryString();
        byte[] body = http.getInputStream().readAllBytes();
        Map<String, String[]> all = Form.added(
                Map.of(), ((query == null ? "" : query + "&") + new String(body, UTF_8)).getBytes(UTF_8), UTF_8);
        chain.doFilter(
                new HttpServletRequestWrapper(http) {
                    @Override
                    public Map<String, String[]> getParameterMap() {
                        return all;
                    }
                },
                response);
    }

    @Test
    void formThatWasParsedInFront_isRejectedAboveTheLimit() throws Exception {
        FilterSettings small = new FilterSettings(29, 10, 10);
        try (TestApp app =
                TestApp.on(web).inFront(ASKS_FOR_A_PARAMETER).settings(small).serve(parameters)) {
            String longest = "q=12345678901234567890&a=1&b=2&c=3"; // 27 bytes of names and values
            assertProblem(
                    form(app.post("/?" + longest).key("k"), "d=45"), 413, "payload_too_large", "Payload too large");
            assertThat(runs).hasValue(0);
            assertThat(form(app.post("/?" + longest).key("k"), "d=4").statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void bodyOfWhichAPartWasReadInFront_isRejected() throws Exception {
        for (int length : new int[] {1, 10}) {
            Filter inFront = (request, response, chain) -> {
                assertThat(request.getInputStream().readNBytes(length)).hasSize(length);
                chain.doFilter(request, response);
            };
            try (TestApp app = TestApp.on(web).inFront(inFront).serve(parameters)) {
                HttpResponse<byte[]> reply =
                        app.post("/").key("k").json("{\"n\":1234}").send();
                assertProblem(reply, 400, "unreadable_body", "Unreadable request body");
                assertThat(text(reply))
                        .contains((10 - length) + " bytes are left")
                        .contains("filter in front");
            }
        }
        assertThat(runs).hasValue(0);
    }

    @Test
    void malformedForm_isRejectedAndNotRecorded() throws Exception {
        for (Idempotency rule : List.of(Idempotency.atomic(), Idempotency.leased(IfAbandoned.FREEZE))) {
            try (TestApp app = TestApp.on(web).rule(rule).serve((request, response) -> {
                response.setHeader("X-Mine", "yes");
                parameters.handle(request, response);
            })) {
                assertThat(form(app.post("/"), "a=%zz").statusCode()).isEqualTo(400);
                for (int i = 0; i < 2; i++) {
                    HttpResponse<byte[]> reply = form(app.post("/").key("k"), "a=%zz");
                    assertProblem(reply, 400, "unreadable_body", "Unreadable request body");
                    assertThat(text(reply)).contains("The form is malformed");
                    assertThat(isReplay(reply)).isFalse();
                }
            }
        }
    }

    @Test
    void handlerMayAnswerAMalformedFormItself() throws Exception {
        try (TestApp app = TestApp.on(web).serve((request, response) -> {
            assertThatThrownBy(() -> request.getParameter("a")).isInstanceOf(IllegalStateException.class);
            response.setStatus(422);
        })) {
            assertThat(form(app.post("/").key("k"), "a=%zz").statusCode()).isEqualTo(422);
        }
    }

    @Test
    void form_isDecodedAsWithoutAKey() throws Exception {
        for (String type : List.of(FORM, FORM + ";charset=UTF-8", FORM + "; charset=iso-8859-1")) {
            for (String example :
                    List.of("POST a=%C3%A9+%2B%c3%a9&b=é", "POST a=%E9", "PUT a=%C3%A9", "PATCH a=%C3%A9")) {
                try (TestApp app = TestApp.on(web).serve(parameters)) {
                    String method = example.substring(0, example.indexOf(' '));
                    String body = example.substring(method.length() + 1);
                    HttpResponse<byte[]> without = app.ask(method, "/")
                            .header("Content-Type", type)
                            .body(body)
                            .send();
                    HttpResponse<byte[]> with = app.ask(method, "/")
                            .key("k")
                            .header("Content-Type", type)
                            .body(body)
                            .send();
                    assertThat(with.statusCode()).isEqualTo(without.statusCode());
                    if (with.statusCode() == 200) {
                        assertThat(text(with)).as(type + " " + example).isEqualTo(text(without));
                    }
                }
            }
        }
    }

    private static String multipart(String boundary, String name, String file) {
        return "--" + boundary + "\r\nContent-Disposition: form-data; name=\"who\"\r\n\r\n" + name + "\r\n--" + boundary
                + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\n"
                + file + "\r\n--" + boundary + "--\r\n";
    }

    private static HttpResponse<byte[]> multipart(TestApp.RequestBuilder request, String boundary, String body)
            throws Exception {
        return request.header("Content-Type", "multipart/form-data; boundary=" + boundary)
                .body(body)
                .send();
    }

    private final TestApp.Handler parts = (request, response) -> {
        runs.incrementAndGet();
        Part file = request.getPart("file");
        response.getWriter()
                .print(request.getParts().size()
                        + request.getParameter("who")
                        + file.getSubmittedFileName()
                        + new String(file.getInputStream().readAllBytes(), UTF_8));
    };

    @Test
    void multipartBody_isFingerprintedAndReplayed() throws Exception {
        for (boolean inFront : new boolean[] {false, true}) {
            runs.set(0);
            TestApp.Builder builder = TestApp.on(web).multipart();
            if (inFront) {
                builder.inFront(ASKS_FOR_A_PARAMETER);
            }
            try (TestApp app = builder.serve(parts)) {
                HttpResponse<byte[]> without = multipart(app.post("/"), "b", multipart("b", "ann", "hello"));
                assertThat(text(without)).isEqualTo("2anna.txthello");
                HttpResponse<byte[]> first = multipart(app.post("/").key("k"), "b", multipart("b", "ann", "hello"));
                assertThat(text(first)).isEqualTo(text(without));
                HttpResponse<byte[]> again = multipart(app.post("/").key("k"), "c", multipart("c", "ann", "hello"));
                assertThat(text(again)).isEqualTo(text(without));
                assertThat(isReplay(again)).isTrue();
                for (String other : List.of(
                        multipart("b", "bob", "hello"),
                        multipart("b", "ann", "other"),
                        multipart("b", "annh", "ello"))) {
                    assertThat(multipart(app.post("/").key("k"), "b", other).statusCode())
                            .isEqualTo(422);
                }
                assertThat(runs).hasValue(2);
            }
        }
    }

    @Test
    void headersOfParts_areFingerprinted() throws Exception {
        try (TestApp app = TestApp.on(web).multipart().serve(parts)) {
            String body = multipart("b", "ann", "hello");
            assertThat(multipart(app.post("/").key("k"), "b", body).statusCode())
                    .isEqualTo(200);
            for (String other : List.of(
                    body.replace("text/plain", "text/html"),
                    body.replace("text/plain", "text/plain\r\nX-Checksum: 7"),
                    body.replace("a.txt", "b.txt"),
                    body.replace("\"a.txt\"", "\"a.txt\"; size=5"),
                    body.replace("name=\"who\"", "name=\"me\""))) {
                assertThat(other).isNotEqualTo(body);
                assertThat(multipart(app.post("/").key("k"), "b", other).statusCode())
                        .as(other)
                        .isEqualTo(422);
            }
            assertThat(isReplay(multipart(app.post("/").key("k"), "b", body))).isTrue();
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void multipartBodyAfterAWriteConflict_isReadAgain() throws Exception {
        CompletableFuture<TestApp> served = new CompletableFuture<>();
        try (TestApp app = TestApp.on(web).multipart().serve((request, response) -> {
            Counter.increment(IdempotencyFilter.transaction(request));
            parts.handle(request, response);
            if (runs.get() == 1) {
                new Transactions(served.join().store, served.join().time).run(Counter::increment);
            }
        })) {
            served.complete(app);
            assertThat(text(multipart(app.post("/").key("k"), "b", multipart("b", "ann", "hello"))))
                    .isEqualTo("2anna.txthello");
            assertThat(runs).hasValue(2);
        }
    }

    @Test
    void multipartBodyOfAServletWithoutConfiguration_isReadAsAStream() throws Exception {
        for (boolean inFront : new boolean[] {false, true}) {
            TestApp.Builder builder = TestApp.on(web);
            if (inFront) {
                builder.inFront(ASKS_FOR_A_PARAMETER);
            }
            try (TestApp app = builder.serve((request, response) -> {
                runs.incrementAndGet();
                assertThat(request.getParameter("who")).isNull();
                response.getOutputStream().write(request.getInputStream().readAllBytes());
            })) {
                String body = multipart("b", "ann", "hello");
                assertThat(text(multipart(app.post("/").key("k"), "b", body))).isEqualTo(body);
                assertThat(isReplay(multipart(app.post("/").key("k"), "b", body)))
                        .isTrue();
                assertThat(multipart(app.post("/").key("k"), "b", multipart("b", "ann", "other"))
                                .statusCode())
                        .isEqualTo(422);
            }
        }
    }

    @Test
    void malformedMultipartBody_isRejected() throws Exception {
        try (TestApp app = TestApp.on(web).multipart().serve(parts)) {
            String cut = "--b\r\nContent-Disposition: form-data; name=\"who\"\r\n\r\nan";
            for (String body : List.of("no parts", cut)) {
                assertProblem(
                        multipart(app.post("/").key("k"), "b", body),
                        400,
                        "unreadable_body",
                        "Unreadable request body");
                HttpResponse<byte[]> chunked = app.post("/")
                        .key("k")
                        .header("Content-Type", "multipart/form-data; boundary=b")
                        .body(BodyPublishers.fromPublisher(BodyPublishers.ofString(body)))
                        .send();
                assertProblem(chunked, 400, "unreadable_body", "Unreadable request body");
            }
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void multipartBodyAboveTheLimit_isRejected() throws Exception {
        FilterSettings small = new FilterSettings(400, 10, 10);
        try (TestApp app = TestApp.on(web).multipart().settings(small).serve(parts)) {
            HttpResponse<byte[]> chunked = app.post("/")
                    .key("k")
                    .header("Content-Type", "multipart/form-data; boundary=b")
                    .body(BodyPublishers.fromPublisher(BodyPublishers.ofString(multipart("b", "ann", "x".repeat(400)))))
                    .send();
            assertProblem(chunked, 413, "payload_too_large", "Payload too large");
            assertThat(runs).hasValue(0);
        }
    }
}
