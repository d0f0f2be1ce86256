package dev.semel.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.JsonText;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that HTTP clients would not send. Each is rejected with a problem. */
class UglyRequestTest {

    private static final ServerFixture SERVER = ServerFixture.onMemory(apps -> List.of(routes -> routes.getOpen(
            "/echo/{text}", request -> ApiResponse.ok(JsonText.object().put("text", request.part("text"))))));

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    private static void assertProblem(String request, int status, String code) throws Exception {
        String answer = RawSocket.send(SERVER.server().port(), request);
        assertThat(answer)
                .startsWith("HTTP/1.1 " + status + " ")
                .contains("Content-Type: application/problem+json\r\n", "X-Request-Id: ", "\"code\":\"" + code + "\"")
                .doesNotContain("Server:", "Jetty", "Exception", "\tat ");
    }

    private static String get(String target) {
        return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/echo/%00",
                "/echo/%2e%2e",
                "/../echo/a",
                "/..;/echo/a",
                "//echo/a",
                "/echo/%zz",
                "/echo/%c3%28",
                "/echo/%u0041",
                "/echo/%",
                "/echo/%0a",
                "/echo/a%0d%0aSet-Cookie:%20a=b",
                "/echo/..%2f..%2fetc%2fpasswd%00",
                "/.%2e/echo/a",
                "/echo/\u00ff"
            })
    void uglyPath_isRejected(String path) throws Exception {
        assertProblem(get(path), 400, "bad_request");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/echo/a?b=%zz", "/echo/a?b=%ff", "/echo/a?%=1", "/echo/a?b=%00", "/echo/a?b=%4"})
    void uglyQuery_isRejected(String target) throws Exception {
        assertProblem(get(target), 400, "invalid_query");
    }

    @ParameterizedTest
    @CsvSource({
        "/echo/a;b=c, a;b=c",
        "/echo/a+b, a+b",
        "/echo/%E2%82%AC, €",
        "/echo/%2B, +",
        "/echo/a%2Fb, a/b",
        "/echo/a%252Fb, a%2Fb"
    })
    void unusualPath_isReadLiterally(String path, String text) throws Exception {
        String answer = RawSocket.send(SERVER.server().port(), get(path));
        byte[] body = answer.substring(answer.indexOf("\r\n\r\n") + 4).getBytes(ISO_8859_1);
        assertThat(new String(body, UTF_8)).isEqualTo("{\"text\":\"" + text + "\"}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "FOO\r\n\r\n",
                "\u0016\u0003\u0001\r\n\r\n",
                "GET / HTTP/1.1\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                "GET / HTTP/1.1\r\nHost : localhost\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: localhost\r\n folded\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\u0000b\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
                "GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                "G@T / HTTP/1.1\r\nHost: localhost\r\n\r\n"
            })
    void invalidHttp_isRejected(String request) throws Exception {
        assertProblem(request, 400, "bad_request");
    }

    @Test
    void otherVersion_isRejected() throws Exception {
        assertProblem("GET / HTTP/3.0\r\nHost: localhost\r\n\r\n", 400, "unsupported_version");
    }

    @Test
    void flood_isRejected() throws Exception {
        String flood = "x".repeat(17_000);
        assertProblem(get("/" + flood), 414, "path_too_long");
        assertProblem("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + flood + "\r\n\r\n", 431, "headers_too_large");
    }

    @Test
    void invalidChunks_areRejected() throws Exception {
        String headers = "Host: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
        assertProblem("POST /v1/dev/token HTTP/1.1\r\n" + headers + "zz\r\n{}\r\n", 400, "unreadable_body");
    }

    @Test
    void announcedLengthOverTheLimit_isRejectedBeforeTheBodyIsSent() throws Exception {
        assertProblem(
                "POST /v1/dev/token HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 1048577\r\n\r\n",
                413,
                "payload_too_large");
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRACE", "get", "BREW", "PATCH"})
    void unknownMethod_isRejected(String method) throws Exception {
        assertProblem(
                method + " /echo/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                405,
                "method_not_allowed");
    }

    /** The connection is closed, so the client does not send its next request on it. */
    @ParameterizedTest
    @CsvSource({
        "POST /v1/ops/sweeps, 401",
        "POST /nowhere, 404",
        "BREW /echo/a, 405",
    })
    void rejectionBeforeTheBodyIsRead_closesTheConnection(String what, int status) throws Exception {
        String head = what + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n";
        assertThat(RawSocket.send(SERVER.server().port(), head))
                .startsWith("HTTP/1.1 " + status + " ")
                .contains("\r\nConnection: close\r\n", "\r\nContent-Length: ");
        String both = RawSocket.send(SERVER.server().port(), head + "{}" + get("/echo/next"));
        assertThat(both)
                .startsWith("HTTP/1.1 " + status + " ")
                .contains("HTTP/1.1 200 ")
                .containsOnlyOnce("Connection: close");
    }
}
