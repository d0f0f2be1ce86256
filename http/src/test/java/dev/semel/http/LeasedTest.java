package dev.semel.http;

import static dev.semel.http.Answers.header;
import static dev.semel.http.Answers.isReplay;
import static dev.semel.http.Answers.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Handlers whose effect is elsewhere, and whose answers may be sent while they are made. */
@ParameterizedClass
@EnumSource(Web.class)
class LeasedTest {

    private static final Idempotency LEASED = Idempotency.leased(IfAbandoned.RERUN);

    private final Web web;
    private final AtomicInteger runs = new AtomicInteger();
    private final CountDownLatch goOn = new CountDownLatch(1);

    LeasedTest(Web web) {
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
    void lease_isThereForTheHandler() throws Exception {
        try (Site site = Site.on(web)
                .rule(LEASED)
                .serve((request, response) -> response.getWriter()
                        .print(IdempotencyFilter.lease(request).orElseThrow().isHeld()))) {
            assertThat(text(site.post("/").key("k").send())).isEqualTo("true");
        }
    }

    @Test
    void smallAnswer_isHeldBackUntilItIsRecorded() throws Exception {
        try (Site site = Site.on(web).rule(LEASED).serve((request, response) -> {
            response.getWriter().print("done");
            response.getWriter().flush();
            response.getWriter().close();
            assertThat(response.isCommitted()).isFalse();
        })) {
            AtomicInteger commits = new AtomicInteger();
            site.store.beforeCommit(() -> {
                if (commits.incrementAndGet() == 2) {
                    site.store.goDown();
                }
            });
            HttpResponse<byte[]> answer = site.post("/").key("k").send();
            assertThat(answer.statusCode()).isEqualTo(503);
            site.store.beforeCommit(() -> {});
            site.store.comeUp();
            site.time.advance(Duration.ofMinutes(1));
            HttpResponse<byte[]> again = site.post("/").key("k").send();
            assertThat(text(again)).isEqualTo("done");
            assertThat(header(again, "Idempotency-Expires")).isNotEmpty();
        }
    }

    /** What makes an answer be sent before it is whole. */
    private interface Pushing {
        void push(HttpServletResponse response) throws IOException;
    }

    private void assertStreams(Pushing pushing, String expected) throws Exception {
        try (Site site = Site.on(web).rule(LEASED).serve((request, response) -> {
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
            HttpResponse<InputStream> answer = site.post("/").key("k").open();
            assertThat(answer.statusCode()).isEqualTo(201);
            assertThat(header(answer, "ETag")).isEqualTo("\"1\"");
            assertThat(header(answer, "X-Late")).isEmpty();
            assertThat(header(answer, "Idempotency-Expires")).isEmpty();
            byte[] start = answer.body().readNBytes(expected.length());
            assertThat(new String(start, StandardCharsets.UTF_8)).isEqualTo(expected);
            goOn.countDown();
            assertThat(new String(answer.body().readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo(" end");
            HttpResponse<byte[]> again =
                    site.post("/").key("k").header("Prefer", "wait=30").send();
            assertThat(text(again)).isEqualTo(expected + " end");
            assertThat(again.statusCode()).isEqualTo(201);
            assertThat(isReplay(again)).isTrue();
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void largeAnswer_isSentWhileItIsMade() throws Exception {
        String large = "x".repeat(100_000);
        assertStreams(
                response -> {
                    response.getOutputStream().print(large);
                    response.getOutputStream().flush();
                },
                large);
    }

    @Test
    void flushedAnswer_isSentWhileItIsMade() throws Exception {
        assertStreams(
                response -> {
                    response.getOutputStream().print("begin");
                    response.flushBuffer();
                },
                "begin");
    }

    @Test
    void flushedStream_isSentWhenMoreIsWritten() throws Exception {
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
    void clientThatGoesAwayWhileItIsSent_findsTheAnswerWhenItComesBack() throws Exception {
        String chunk = "x".repeat(100_000);
        CompletableFuture<Void> ended = new CompletableFuture<>();
        try (Site site = Site.on(web).rule(LEASED).serve((request, response) -> {
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
            try (Socket socket = site.connect()) {
                Site.send(
                        socket,
                        "POST / HTTP/1.1\r\nHost: a\r\nX-User: ann\r\nContent-Length: 0\r\nIdempotency-Key: k\r\n\r\n");
                assertThat(socket.getInputStream().readNBytes(1000)).hasSize(1000);
                socket.setSoLinger(true, 0);
            }
            goOn.countDown();
            ended.get(30, TimeUnit.SECONDS);
            HttpResponse<byte[]> back =
                    site.post("/").key("k").header("Prefer", "wait=30").send();
            assertThat(text(back)).isEqualTo(chunk.repeat(10));
            assertThat(isReplay(back)).isTrue();
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void answerThatWasSentAndCouldNotBeRecorded_breaksOff() throws Exception {
        CompletableFuture<Site> served = new CompletableFuture<>();
        OnceSettings quick = OnceSettings.DEFAULTS.withLease(Duration.ofSeconds(3));
        try (Site site = Site.on(web).rule(LEASED).once(quick).serve((request, response) -> {
            response.getOutputStream().print("begin");
            response.flushBuffer();
            served.join().store.goDown();
        })) {
            served.complete(site);
            assertThatThrownBy(() -> site.post("/").key("k").send()).isInstanceOf(IOException.class);
        }
    }

    @Test
    void exceptionAfterTheAnswerHasBegun_breaksItOffAndRunsAgain() throws Exception {
        try (Site site = Site.on(web).rule(LEASED).serve((request, response) -> {
            response.getOutputStream().print("begin");
            response.flushBuffer();
            if (runs.incrementAndGet() == 1) {
                throw new IOException("the other system is gone");
            }
        })) {
            assertThatThrownBy(() -> site.post("/").key("k").send()).isInstanceOf(IOException.class);
            assertThat(text(site.post("/").key("k").send())).isEqualTo("begin");
            assertThat(runs).hasValue(2);
        }
    }

    @Test
    void announcedLength_isKeptWhereTheAnswerIsStreamed() throws Exception {
        try (Site site = Site.on(web).rule(LEASED).serve((request, response) -> {
            response.setContentLength(10);
            response.getOutputStream().print("12345");
            response.flushBuffer();
            response.getOutputStream().print("67890");
        })) {
            HttpResponse<byte[]> answer = site.post("/").key("k").send();
            assertThat(header(answer, "Content-Length")).isEqualTo("10");
            assertThat(text(answer)).isEqualTo("1234567890");
        }
    }

    @Test
    void abandonedRequestThatMustNotRunAgain_isUnknown() throws Exception {
        OnceSettings quick = OnceSettings.DEFAULTS.withLongestRun(Duration.ofSeconds(60));
        CountDownLatch inside = new CountDownLatch(1);
        Idempotency freeze = Idempotency.leased(IfAbandoned.FREEZE);
        try (Site site = Site.on(web).rule(freeze).once(quick).serve((request, response) -> {
            inside.countDown();
            await(goOn);
        })) {
            CompletableFuture<HttpResponse<byte[]>> first =
                    site.post("/").key("k").later();
            await(inside);
            site.time.advance(Duration.ofMinutes(5));
            HttpResponse<byte[]> second = site.post("/").key("k").send();
            Answers.assertProblem(second, 409, "outcome_unknown", "Outcome unknown");
            goOn.countDown();
            assertThat(first.get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(409);
        }
    }
}
