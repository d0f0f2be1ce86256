package dev.semel.http.servlet;

import static dev.semel.http.servlet.Responses.header;
import static dev.semel.http.servlet.Responses.isReplay;
import static dev.semel.http.servlet.Responses.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.http.Idempotency;
import dev.semel.once.OnceSettings;
import dev.semel.store.IfAbandoned;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Leased requests, whose responses may be streamed. */
@Tag("jdk")
@ParameterizedClass
@EnumSource(Container.class)
class LeasedTest {

    private static final Idempotency LEASED = Idempotency.leased(IfAbandoned.RERUN);

    private final Container web;
    private final AtomicInteger runs = new AtomicInteger();
    private final CountDownLatch goOn = new CountDownLatch(1);

    LeasedTest(Container web) {
        this.web = web;
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    @Test
    void lease_isAvailableToTheHandler() throws Exception {
        try (TestApp app = TestApp.on(web)
                .rule(LEASED)
                .serve((request, response) -> response.getWriter()
                        .print(IdempotencyFilter.lease(request).orElseThrow().isHeld()))) {
            assertThat(text(app.post("/").key("k").send())).isEqualTo("true");
        }
    }

    @Test
    void smallResponse_isHeldBackUntilItIsRecorded() throws Exception {
        try (TestApp app = TestApp.on(web).rule(LEASED).serve((request, response) -> {
            response.getWriter().print("done");
            response.getWriter().flush();
            response.getWriter().close();
            assertThat(response.isCommitted()).isFalse();
        })) {
            AtomicInteger commits = new AtomicInteger();
            app.store.beforeCommit(() -> {
                if (commits.incrementAndGet() == 2) {
                    app.store.goDown();
                }
            });
            HttpResponse<byte[]> reply = app.post("/").key("k").send();
            assertThat(reply.statusCode()).isEqualTo(503);
            app.store.beforeCommit(() -> {});
            app.store.comeUp();
            app.time.advance(Duration.ofMinutes(1));
            HttpResponse<byte[]> again = app.post("/").key("k").send();
            assertThat(text(again)).isEqualTo("done");
            assertThat(header(again, "Idempotency-Expires")).isNotEmpty();
        }
    }

    private interface Pushing {
        void push(HttpServletResponse response) throws IOException;
    }

    private void assertStreams(Pushing pushing, String expected) throws Exception {
        try (TestApp app = TestApp.on(web).rule(LEASED).serve((request, response) -> {
            runs.incrementAndGet();
            response.setStatus(201);
            response.setHeader("ETag", "\"1\"");
            pushing.push(response);
            assertThat(response.isCommitted()).isTrue();
            response.setHeader("X-Late", "yes");
            response.setStatus(500);
            await(goOn);
            response.getOutputStream().print(" end");
        })) {
            HttpResponse<InputStream> reply = app.post("/").key("k").open();
            assertThat(reply.statusCode()).isEqualTo(201);
            assertThat(header(reply, "ETag")).isEqualTo("\"1\"");
            assertThat(header(reply, "X-Late")).isEmpty();
            assertThat(header(reply, "Idempotency-Expires")).isEmpty();
            byte[] start = reply.body().readNBytes(expected.length());
            assertThat(new String(start, StandardCharsets.UTF_8)).isEqualTo(expected);
            goOn.countDown();
            assertThat(new String(reply.body().readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo(" end");
            HttpResponse<byte[]> again =
                    app.post("/").key("k").header("Prefer", "wait=30").send();
            assertThat(text(again)).isEqualTo(expected + " end");
            assertThat(again.statusCode()).isEqualTo(201);
            assertThat(isReplay(again)).isTrue();
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void largeResponse_isStreamed() throws Exception {
        String large = "x".repeat(100_000);
        assertStreams(
                response -> {
                    response.getOutputStream().print(large);
                    response.getOutputStream().flush();
                },
                large);
    }

    @Test
    void flushedResponse_isStreamedWhenMoreIsWritten() throws Exception {
        assertStreams(
                response -> {
                    response.getOutputStream().print("begin");
                    response.flushBuffer();
                    assertThat(response.isCommitted()).isTrue();
                    response.getOutputStream().print(" more");
                    response.flushBuffer();
                },
                "begin more");
    }

    @Test
    void responseThatIsFlushedAtItsEnd_isRecordedBeforeItIsSent() throws Exception {
        try (TestApp app = TestApp.on(web).rule(LEASED).serve((request, response) -> {
            response.setHeader("ETag", "\"1\"");
            response.getOutputStream().print("complete");
            response.flushBuffer();
            response.setHeader("ETag", "too late");
        })) {
            HttpResponse<byte[]> reply = app.post("/").key("k").send();
            assertThat(text(reply)).isEqualTo("complete");
            assertThat(header(reply, "ETag")).isEqualTo("\"1\"");
            assertThat(header(reply, "Content-Length")).isEqualTo("8");
            assertThat(header(reply, "Idempotency-Expires")).isNotEmpty();
        }
    }

    @Test
    void flushedStream_isStreamedWhenMoreIsWritten() throws Exception {
        assertStreams(
                response -> {
                    response.getOutputStream().print("begin");
                    response.getOutputStream().flush();
                    assertThat(response.isCommitted()).isFalse();
                    response.getOutputStream().print(" more");
                    response.getOutputStream().flush();
                },
                "begin more");
    }

    @Test
    void clientThatDisconnectsWhileStreaming_getsTheResponseOnRetry() throws Exception {
        String chunk = "x".repeat(100_000);
        CompletableFuture<Void> ended = new CompletableFuture<>();
        try (TestApp app = TestApp.on(web).rule(LEASED).serve((request, response) -> {
            runs.incrementAndGet();
            response.getOutputStream().print(chunk);
            response.flushBuffer();
            await(goOn);
            for (int i = 0; i < 9; i++) { // the first write to a closed connection may still seem to work
                response.getOutputStream().print(chunk);
                response.flushBuffer();
            }
            ended.complete(null);
        })) {
            try (Socket socket = app.connect()) {
                TestApp.send(
                        socket,
                        "POST / HTTP/1.1\r\nHost: a\r\nX-User: ann\r\nContent-Length: 0\r\nIdempotency-Key: k\r\n\r\n");
                assertThat(socket.getInputStream().readNBytes(1000)).hasSize(1000);
                socket.setSoLinger(true, 0);
            }
            goOn.countDown();
            ended.get(30, TimeUnit.SECONDS);
            HttpResponse<byte[]> back =
                    app.post("/").key("k").header("Prefer", "wait=30").send();
            assertThat(text(back)).isEqualTo(chunk.repeat(10));
            assertThat(isReplay(back)).isTrue();
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void streamedResponseThatCannotBeRecorded_isCutOff() throws Exception {
        CompletableFuture<TestApp> served = new CompletableFuture<>();
        OnceSettings quick = OnceSettings.DEFAULTS.withLease(Duration.ofSeconds(3));
        try (TestApp app = TestApp.on(web).rule(LEASED).once(quick).serve((request, response) -> {
            response.getOutputStream().print("begin");
            response.flushBuffer();
            response.getOutputStream().print(" more");
            response.flushBuffer();
            served.join().store.goDown();
        })) {
            served.complete(app);
            assertThatThrownBy(() -> app.post("/").key("k").send()).isInstanceOf(IOException.class);
        }
    }

    @Test
    void exceptionWhileStreaming_cutsTheResponseOffAndRunsAgain() throws Exception {
        try (TestApp app = TestApp.on(web).rule(LEASED).serve((request, response) -> {
            response.getOutputStream().print("begin");
            response.flushBuffer();
            response.getOutputStream().print(" more");
            response.flushBuffer();
            if (runs.incrementAndGet() == 1) {
                throw new IOException("the other system is gone");
            }
        })) {
            assertThatThrownBy(() -> app.post("/").key("k").send()).isInstanceOf(IOException.class);
            assertThat(text(app.post("/").key("k").send())).isEqualTo("begin more");
            assertThat(runs).hasValue(2);
        }
    }

    @Test
    void announcedLength_isSentWithAStreamedResponse() throws Exception {
        try (TestApp app = TestApp.on(web).rule(LEASED).serve((request, response) -> {
            response.setContentLength(10);
            response.getOutputStream().print("12345");
            response.flushBuffer();
            response.getOutputStream().print("67890");
        })) {
            HttpResponse<byte[]> reply = app.post("/").key("k").send();
            assertThat(header(reply, "Content-Length")).isEqualTo("10");
            assertThat(text(reply)).isEqualTo("1234567890");
        }
    }

    @Test
    void streamedResponseOfAnnouncedLengthThatIsNotRecorded_isCutOff() throws Exception {
        OnceSettings quick = OnceSettings.DEFAULTS.withLease(Duration.ofSeconds(3));
        CompletableFuture<TestApp> served = new CompletableFuture<>();
        try (TestApp app = TestApp.on(web).rule(LEASED).once(quick).serve((request, response) -> {
            response.setContentLength(10);
            response.getOutputStream().print("12345");
            response.flushBuffer();
            response.getOutputStream().print("67890");
            response.getOutputStream().print("beyond the announced length");
            response.flushBuffer();
            served.join().store.goDown();
        })) {
            served.complete(app);
            assertThatThrownBy(() -> app.post("/").key("k").send()).isInstanceOf(IOException.class);
        }
    }

    @Test
    void abandonedRequestThatMustNotRunAgain_isUnknown() throws Exception {
        OnceSettings quick = OnceSettings.DEFAULTS.withLongestRun(Duration.ofSeconds(60));
        CountDownLatch inside = new CountDownLatch(1);
        Idempotency freeze = Idempotency.leased(IfAbandoned.FREEZE);
        try (TestApp app = TestApp.on(web).rule(freeze).once(quick).serve((request, response) -> {
            inside.countDown();
            await(goOn);
        })) {
            CompletableFuture<HttpResponse<byte[]>> first =
                    app.post("/").key("k").later();
            await(inside);
            app.time.advance(Duration.ofMinutes(5));
            HttpResponse<byte[]> second = app.post("/").key("k").send();
            Responses.assertProblem(second, 409, "outcome_unknown", "Outcome unknown");
            goOn.countDown();
            assertThat(first.get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(409);
        }
    }
}
