package dev.semel.http.servlet;

import static dev.semel.http.servlet.Responses.assertProblem;
import static dev.semel.http.servlet.Responses.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.http.FilterSettings;
import jakarta.servlet.Filter;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Request bodies: how handlers read them, and which are rejected. */
@Tag("jdk")
@ParameterizedClass
@EnumSource(Container.class)
class BodyTest {

    private static final String HEAD = "POST / HTTP/1.1\r\nHost: a\r\nX-User: ann\r\nIdempotency-Key: k\r\n";

    private final Container web;
    private final AtomicInteger runs = new AtomicInteger();

    BodyTest(Container web) {
        this.web = web;
    }

    private final TestApp.Handler echo = (request, response) -> {
        runs.incrementAndGet();
        response.getOutputStream().write(request.getInputStream().readAllBytes());
    };

    @Test
    void bodyUpToTheLimit_isReadWhole() throws Exception {
        try (TestApp app = TestApp.on(web).serve(echo)) {
            for (int length : new int[] {0, 1, 8191, 8192, 8193, 100_000, 1 << 20}) {
                byte[] body = new byte[length];
                Arrays.fill(body, (byte) 'x');
                HttpResponse<byte[]> sized = app.post("/")
                        .key("sized" + length)
                        .body(BodyPublishers.ofByteArray(body))
                        .send();
                assertThat(sized.body()).isEqualTo(body);
                if (length == 0) {
                    continue; // a body that is chunked and empty is rejected
                }
                HttpResponse<byte[]> chunked = app.post("/")
                        .key("chunked" + length)
                        .body(BodyPublishers.fromPublisher(BodyPublishers.ofByteArray(body)))
                        .send();
                assertThat(chunked.body()).isEqualTo(body);
            }
        }
    }

    @Test
    void bodyThatAnnouncesTooMuch_isRejectedUnread() throws Exception {
        try (TestApp app = TestApp.on(web).serve(echo);
                Socket socket = app.connect()) {
            TestApp.send(socket, HEAD + "Content-Length: " + ((1 << 20) + 1) + "\r\n\r\n");
            assertThat(TestApp.replyUpTo("\"code\":\"payload_too_large\"", socket))
                    .startsWith("HTTP/1.1 413");
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void senderOfATooLargeBody_holdsAThreadForAShortTime() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        Filter inFront = (request, response, chain) -> {
            try {
                chain.doFilter(request, response);
            } finally {
                over.countDown();
            }
        };
        try (TestApp app = TestApp.on(web).inFront(inFront).serve(echo);
                Socket socket = app.connect()) {
            TestApp.send(socket, HEAD + "Content-Length: " + ((1 << 20) + 1) + "\r\n\r\n");
            trickle(socket, over);
            assertThat(over.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** Sends a byte each 20 ms, until the filter has returned or the server has closed the connection. */
    private static void trickle(Socket socket, CountDownLatch over) throws Exception {
        int sent = 0;
        while (!over.await(20, TimeUnit.MILLISECONDS)) {
            assertThat(++sent).isLessThan(1000);
            try {
                socket.getOutputStream().write('x');
            } catch (IOException e) {
                return;
            }
        }
    }

    @Test
    void endlessBody_isRejectedBeforeItsEnd() throws Exception {
        try (TestApp app = TestApp.on(web).serve(echo);
                Socket socket = app.connect()) {
            OutputStream out = socket.getOutputStream();
            TestApp.send(socket, HEAD + "Transfer-Encoding: chunked\r\n\r\n");
            byte[] chunk = ("10000\r\n" + "x".repeat(0x10000) + "\r\n").getBytes(UTF_8);
            for (int i = 0; i < 17; i++) { // exceeds the limit, without a last chunk
                out.write(chunk);
            }
            out.flush();
            assertThat(TestApp.replyUpTo("\"code\":\"payload_too_large\"", socket))
                    .startsWith("HTTP/1.1 413");
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void invalidContentLengths_areRejected() throws Exception {
        try (TestApp app = TestApp.on(web).serve(echo)) {
            for (String length : new String[] {"-1", "x", "1\r\nContent-Length: 2", "99999999999999999999", "1, 2"}) {
                String reply = app.raw(HEAD + "Connection: close\r\nContent-Length: " + length + "\r\n\r\n{}");
                assertThat(reply).as(length).startsWith("HTTP/1.1 4");
            }
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void bodyLongerThanAnnounced_isCutOffThere() throws Exception {
        try (TestApp app = TestApp.on(web).serve(echo)) {
            String reply = app.raw(HEAD + "Connection: close\r\nContent-Length: 2\r\n\r\n{}GET / HTTP/1.1\r\n\r\n");
            assertThat(reply).startsWith("HTTP/1.1 200").endsWith("{}");
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void bodyThatAFilterInFrontInflates_isReadToItsEnd() throws Exception {
        Filter inflating = (request, response, chain) -> chain.doFilter(
                new HttpServletRequestWrapper((HttpServletRequest) request) {
                    @Override
                    public ServletInputStream getInputStream() throws IOException {
                        return new Inflating(super.getInputStream());
                    }
                },
                response);
        try (TestApp app = TestApp.on(web).inFront(inflating).serve((request, response) -> {
            echo.handle(request, response);
            assertThat(request.getContentLength()).isEqualTo(20_022);
        })) {
            byte[] body = "{\"text\": \"%s\"}".formatted("x".repeat(20_010)).getBytes(UTF_8);
            byte[] other = "{\"text\": \"%sy\"}".formatted("x".repeat(20_009)).getBytes(UTF_8);
            BodyPublisher sent = BodyPublishers.ofByteArray(gzip(body));
            assertThat(app.post("/").key("k").body(sent).send().body()).isEqualTo(body);
            assertThat(app.post("/")
                            .key("k")
                            .body(BodyPublishers.ofByteArray(gzip(other)))
                            .send()
                            .statusCode())
                    .isEqualTo(422);
        }
    }

    @Test
    void emptyBodyThatIsChunked_isRejected() throws Exception {
        try (TestApp app = TestApp.on(web).serve(echo)) {
            String reply = app.raw(HEAD + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
            assertThat(reply)
                    .startsWith("HTTP/1.1 400")
                    .contains("\"code\":\"unreadable_body\"")
                    .contains("send Content-Length: 0");
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void bodyThatAFilterInFrontHasRead_isRejected() throws Exception {
        byte[] body = "{\"cents\":100}".getBytes(UTF_8);
        Filter toItsEnd = (request, response, chain) -> {
            assertThat(request.getInputStream().readAllBytes()).isNotEmpty();
            chain.doFilter(request, response);
        };
        Filter toItsLastByte = (request, response, chain) -> {
            assertThat(request.getInputStream().readNBytes(body.length)).isNotEmpty();
            chain.doFilter(request, response);
        };
        for (Filter inFront : List.of(toItsEnd, toItsLastByte)) {
            try (TestApp app = TestApp.on(web).inFront(inFront).serve(echo)) {
                BodyPublisher sized = BodyPublishers.ofByteArray(body);
                BodyPublisher chunked = BodyPublishers.fromPublisher(sized);
                for (TestApp.RequestBuilder request : List.of(
                        app.post("/").body(sized),
                        app.post("/").body(chunked),
                        app.post("/").header("Content-Encoding", "br").body(sized),
                        app.post("/").header("Content-Encoding", "br").body(chunked))) {
                    HttpResponse<byte[]> reply = request.key("k").send();
                    assertProblem(reply, 400, "unreadable_body", "Unreadable request body");
                    assertThat(text(reply)).contains("filter in front");
                }
            }
        }
        assertThat(runs).hasValue(0);
    }

    private static byte[] gzip(byte[] body) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(body);
        }
        return bytes.toByteArray();
    }

    private static final class Inflating extends ServletInputStream {

        private final InputStream in;

        Inflating(InputStream in) throws IOException {
            this.in = new GZIPInputStream(in);
        }

        @Override
        public int read() throws IOException {
            return in.read();
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            return in.read(buffer, offset, length);
        }

        @Override
        public boolean isFinished() {
            return false;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setReadListener(ReadListener listener) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void bodyThatIsCutOff_runsNothing() throws Exception {
        try (TestApp app = TestApp.on(web).serve(echo)) {
            for (String rest : new String[] {
                "Content-Length: 10\r\n\r\n{}", "Transfer-Encoding: chunked\r\n\r\n5\r\n{}",
            }) {
                try (Socket socket = app.connect()) {
                    TestApp.send(socket, HEAD + rest);
                    socket.shutdownOutput();
                    String reply = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
                    assertThat(reply).startsWith("HTTP/1.1 400").contains("\"code\":\"unreadable_body\"");
                }
            }
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void invalidChunks_areRejected() throws Exception {
        try (TestApp app = TestApp.on(web).serve(echo)) {
            String reply =
                    app.raw(HEAD + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n");
            assertThat(reply).startsWith("HTTP/1.1 400").contains("\"code\":\"unreadable_body\"");
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void text_isReadInItsEncoding() throws Exception {
        Map<String, Charset> encodings = Map.of(
                "application/json",
                UTF_8,
                "application/problem+json; v=1",
                UTF_8,
                "text/plain",
                StandardCharsets.ISO_8859_1,
                "text/plain;charset=utf-16",
                StandardCharsets.UTF_16);
        try (TestApp app = TestApp.on(web).serve((request, response) -> {
            response.setCharacterEncoding("UTF-8");
            response.getWriter().print(request.getReader().readLine());
            assertThatThrownBy(request::getInputStream).isInstanceOf(IllegalStateException.class);
        })) {
            int n = 0;
            for (var encoding : encodings.entrySet()) {
                HttpResponse<byte[]> reply = app.post("/")
                        .key("k" + n++)
                        .header("Content-Type", encoding.getKey())
                        .body(BodyPublishers.ofByteArray("é".getBytes(encoding.getValue())))
                        .send();
                assertThat(text(reply)).as(encoding.getKey()).isEqualTo("é");
            }
        }
    }

    @Test
    void unknownEncoding_isReported() throws Exception {
        try (TestApp app = TestApp.on(web).serve((request, response) -> {
            try {
                request.getReader();
                response.setStatus(200);
            } catch (IOException e) {
                response.setStatus(415);
            }
        })) {
            HttpResponse<byte[]> reply = app.post("/")
                    .key("k")
                    .header("Content-Type", "text/plain;charset=no-such")
                    .body("x")
                    .send();
            assertThat(reply.statusCode()).as(text(reply)).isEqualTo(415);
        }
    }

    @Test
    void tooLargeBodyWithAKnownKey_isRejected() throws Exception {
        try (TestApp app = TestApp.on(web).settings(new FilterSettings(4, 4, 4)).serve(echo)) {
            app.post("/").key("k").body("1234").send();
            assertProblem(
                    app.post("/")
                            .key("k")
                            .body(BodyPublishers.fromPublisher(BodyPublishers.ofString("12345")))
                            .send(),
                    413,
                    "payload_too_large",
                    "Payload too large");
        }
    }
}
