package dev.semel.http.servlet;

import static dev.semel.http.servlet.Responses.assertProblem;
import static dev.semel.http.servlet.Responses.header;
import static dev.semel.http.servlet.Responses.isReplay;
import static dev.semel.http.servlet.Responses.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.http.FilterSettings;
import dev.semel.http.Idempotency;
import dev.semel.once.Once;
import dev.semel.once.Once.UnknownOutcomeException;
import dev.semel.once.OnceSettings;
import dev.semel.store.IfAbandoned;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.http.HttpResponse;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Outcomes of requests with a key. */
@Tag("jdk")
@ParameterizedClass
@EnumSource(Container.class)
class OutcomeTest {

    private static final Idempotency LEASED = Idempotency.leased(IfAbandoned.RERUN);
    private static final List<Idempotency> MODES = List.of(Idempotency.atomic(), LEASED);

    private final Container web;
    private final AtomicInteger runs = new AtomicInteger();

    OutcomeTest(Container web) {
        this.web = web;
    }

    @Test
    void otherPayload_isRejected() throws Exception {
        try (TestApp app = TestApp.on(web).serve((request, response) -> runs.incrementAndGet())) {
            app.post("/?a=1").key("k").json("{\"n\": 10, \"m\": 1}").send();
            for (var other : List.of(
                    app.post("/?a=1").key("k").json("{\"n\": 11, \"m\": 1}"),
                    app.post("/?a=1").key("k").json("{\"n\": 10}"),
                    app.post("/?a=1").key("k").json("{"),
                    app.post("/?a=1").key("k"),
                    app.post("/?a=2").key("k").json("{\"n\": 10, \"m\": 1}"),
                    app.post("/").key("k").json("{\"n\": 10, \"m\": 1}"))) {
                assertProblem(other.send(), 422, "payload_mismatch", "Idempotency key reused with different payload");
            }
            assertThat(isReplay(app.post("/?a=1")
                            .key("k")
                            .body("{\"m\":1.0,\"n\":1e1}")
                            .send()))
                    .isTrue();
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void numbersThatAreNotDeclaredAsJson_areComparedByBytes() throws Exception {
        try (TestApp app = TestApp.on(web).serve((request, response) -> runs.incrementAndGet())) {
            app.post("/")
                    .key("k")
                    .header("Content-Type", "text/plain")
                    .body("1")
                    .send();
            HttpResponse<byte[]> other = app.post("/")
                    .key("k")
                    .header("Content-Type", "text/plain")
                    .body("1.0")
                    .send();
            assertThat(other.statusCode()).isEqualTo(422);
        }
    }

    @Test
    void failure_isSentUnchangedAndRunsAgain() throws Exception {
        for (Idempotency mode : MODES) {
            runs.set(0);
            try (TestApp app = TestApp.on(web).rule(mode).serve((request, response) -> {
                IdempotencyFilter.transactionIfAny(request).ifPresent(Counter::increment);
                response.setStatus(runs.incrementAndGet() < 3 ? 502 : 200);
                response.setHeader("X-Mine", "yes");
                response.getWriter().print("run " + runs);
            })) {
                HttpResponse<byte[]> first = app.post("/").key("k").send();
                assertThat(first.statusCode()).isEqualTo(502);
                assertThat(text(first)).isEqualTo("run 1");
                assertThat(header(first, "X-Mine")).isEqualTo("yes");
                assertThat(header(first, "Idempotency-Expires")).isEmpty();
                assertThat(app.post("/").key("k").send().statusCode()).isEqualTo(502);
                assertThat(text(app.post("/").key("k").send())).isEqualTo("run 3");
                assertThat(text(app.post("/").key("k").send())).isEqualTo("run 3");
                assertThat(Counter.read(app.store)).isEqualTo(mode.equals(LEASED) ? 0 : 1);
            }
        }
    }

    @Test
    void exception_isRethrownToTheContainerAndRunsAgain() throws Exception {
        List<Exception> exceptions =
                List.of(new IllegalStateException("secret"), new IOException("secret"), new ServletException("secret"));
        for (Idempotency mode : MODES) {
            runs.set(0);
            List<Throwable> seen = new CopyOnWriteArrayList<>();
            TestApp.Builder builder = TestApp.on(web).rule(mode).inFront((request, response, chain) -> {
                try {
                    chain.doFilter(request, response);
                } catch (RuntimeException | IOException | ServletException e) {
                    seen.add(e);
                    ((HttpServletResponse) response).setStatus(500);
                }
            });
            try (TestApp app = builder.serve((request, response) -> {
                IdempotencyFilter.transactionIfAny(request).ifPresent(Counter::increment);
                int run = runs.getAndIncrement();
                response.getWriter().print("half a response");
                if (run < exceptions.size()) {
                    throwIt(exceptions.get(run));
                }
            })) {
                for (Exception unused : exceptions) {
                    HttpResponse<byte[]> reply = app.post("/").key("k").send();
                    assertThat(reply.statusCode()).isEqualTo(500);
                    assertThat(reply.body()).isEmpty();
                }
                assertThat(seen).isEqualTo(exceptions);
                assertThat(app.post("/").key("k").send().statusCode()).isEqualTo(200);
                assertThat(Counter.read(app.store)).isEqualTo(mode.equals(LEASED) ? 0 : 1);
            }
        }
    }

    private static void throwIt(Exception e) throws IOException, ServletException {
        if (e instanceof RuntimeException runtime) {
            throw runtime;
        } else if (e instanceof IOException io) {
            throw io;
        }
        throw (ServletException) e;
    }

    @Test
    void errorPage_isMadeByTheApplication() throws Exception {
        try (TestApp app = TestApp.on(web).rule(Idempotency.atomic().withKey()).serve((request, response) -> {
            if (!request.getRequestURI().equals(Container.ERRORS)) {
                runs.incrementAndGet();
                throw new IllegalStateException("boom");
            }
            assertThat(IdempotencyFilter.transactionIfAny(request)).isEmpty();
            response.getWriter().print("the application's own page");
        })) {
            for (int run = 1; run <= 2; run++) {
                HttpResponse<byte[]> reply = app.post("/").key("k").send();
                assertThat(reply.statusCode()).isEqualTo(500);
                assertThat(text(reply)).isEqualTo("the application's own page");
                assertThat(header(reply, "Idempotency-Expires")).isEmpty();
                assertThat(runs).hasValue(run);
            }
        }
    }

    @Test
    void refusal_isRecordedAndItsEffectsAreNot() throws Exception {
        for (int status : List.of(400, 403, 404, 410, 422, 451)) {
            runs.set(0);
            try (TestApp app = TestApp.on(web).serve((request, response) -> {
                Counter.increment(IdempotencyFilter.transaction(request));
                response.setStatus(status);
                response.getWriter().print("run " + runs.incrementAndGet());
            })) {
                HttpResponse<byte[]> first = app.post("/").key("k").send();
                HttpResponse<byte[]> again = app.post("/").key("k").send();
                assertThat(first.statusCode()).isEqualTo(status);
                assertThat(header(first, "Idempotency-Expires")).isNotEmpty();
                assertThat(again.statusCode()).isEqualTo(status);
                assertThat(text(again)).isEqualTo("run 1");
                assertThat(isReplay(again)).isTrue();
                assertThat(Counter.read(app.store)).isZero();
            }
        }
    }

    @Test
    void responseThatIsNeverFinal_isNotRecordedNorAreItsEffects() throws Exception {
        for (Idempotency mode : MODES) {
            for (int status : List.of(401, 409, 412, 429)) {
                runs.set(0);
                try (TestApp app = TestApp.on(web).rule(mode).serve((request, response) -> {
                    IdempotencyFilter.transactionIfAny(request).ifPresent(Counter::increment);
                    response.setStatus(runs.incrementAndGet() == 1 ? status : 200);
                    response.getWriter().print("run " + runs);
                })) {
                    HttpResponse<byte[]> first = app.post("/").key("k").send();
                    assertThat(first.statusCode()).isEqualTo(status);
                    assertThat(text(first)).isEqualTo("run 1");
                    assertThat(Counter.read(app.store)).isZero();
                    assertThat(text(app.post("/").key("k").send())).isEqualTo("run 2");
                    assertThat(text(app.post("/").key("k").send())).isEqualTo("run 2");
                }
            }
        }
    }

    @Test
    void handlerThatDoesNotKnowTheOutcome_doesNotRunAgainUnderFreeze() throws Exception {
        for (IfAbandoned policy : IfAbandoned.values()) {
            for (int status : List.of(200, 404, 409, 504)) {
                runs.set(0);
                try (TestApp app = TestApp.on(web)
                        .rule(Idempotency.leased(policy))
                        .serve((request, response) -> {
                            runs.incrementAndGet();
                            IdempotencyFilter.outcomeUnknown(request);
                            response.setStatus(status);
                        })) {
                    boolean frozen = policy == IfAbandoned.FREEZE;
                    for (int i = 1; i <= 2; i++) {
                        HttpResponse<byte[]> reply = app.post("/").key("k").send();
                        assertThat(reply.statusCode()).isEqualTo(frozen ? 409 : status);
                        assertThat(isReplay(reply)).isFalse();
                        assertThat(runs).hasValue(frozen ? 1 : i);
                    }
                }
            }
        }
    }

    @Test
    void doNotRecord_leavesTheResponseUnrecorded() throws Exception {
        try (TestApp app = TestApp.on(web).serve((request, response) -> {
            Counter.increment(IdempotencyFilter.transaction(request));
            if (runs.incrementAndGet() == 1) {
                IdempotencyFilter.doNotRecord(request);
                response.setStatus(400);
            }
        })) {
            assertThat(app.post("/").key("k").json("{").send().statusCode()).isEqualTo(400);
            assertThat(Counter.read(app.store)).isZero();
            assertThat(app.post("/").key("k").json("{").send().statusCode()).isEqualTo(200);
            assertThat(Counter.read(app.store)).isEqualTo(1);
        }
    }

    @Test
    void requestInProgress_isReportedAtOnce() throws Exception {
        OnceSettings hint = OnceSettings.DEFAULTS.withRetryHint(Duration.ofMillis(1_001));
        for (Idempotency mode : MODES) {
            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch goOn = new CountDownLatch(1);
            try (TestApp app = TestApp.on(web).rule(mode).once(hint).serve((request, response) -> {
                inside.countDown();
                await(goOn);
                response.getWriter().print("done");
            })) {
                CompletableFuture<HttpResponse<byte[]>> first =
                        app.post("/").key("k").json("1").later();
                await(inside);
                HttpResponse<byte[]> second = app.post("/").key("k").json("1").send();
                assertProblem(second, 409, "in_progress", "Request already being processed");
                assertThat(text(second)).contains("\"retry_after\":1001");
                assertThat(header(second, "Retry-After")).isEqualTo("2");
                HttpResponse<byte[]> other = app.post("/").key("k").json("2").send();
                assertThat(other.statusCode()).isEqualTo(422);
                goOn.countDown();
                assertThat(text(first.get(30, TimeUnit.SECONDS))).isEqualTo("done");
                assertThat(isReplay(app.post("/").key("k").json("1").send())).isTrue();
            }
        }
    }

    @Test
    void requestInProgress_isAwaitedIfAsked() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        try (TestApp app = TestApp.on(web).serve((request, response) -> {
            inside.countDown();
            await(goOn);
            response.getWriter().print("done");
        })) {
            CompletableFuture<HttpResponse<byte[]>> first =
                    app.post("/").key("k").later();
            await(inside);
            CompletableFuture<HttpResponse<byte[]>> impatient =
                    app.post("/").key("k").header("Prefer", "wait=5").later();
            app.time.awaitScheduled(1);
            CompletableFuture<HttpResponse<byte[]>> patient =
                    app.post("/").key("k").header("Prefer", "wait=300").later();
            app.time.awaitScheduled(2);
            app.time.advance(Duration.ofSeconds(29));
            assertThat(impatient.get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(409);
            assertThat(patient).isNotDone();
            goOn.countDown();
            HttpResponse<byte[]> reply = patient.get(30, TimeUnit.SECONDS);
            assertThat(text(reply)).isEqualTo("done");
            assertThat(isReplay(reply)).isTrue();
            assertThat(isReplay(first.get(30, TimeUnit.SECONDS))).isFalse();
        }
    }

    @Test
    void requestsThatWait_areBoundedPerUserAndServer() throws Exception {
        CountDownLatch inside = new CountDownLatch(2);
        CountDownLatch goOn = new CountDownLatch(1);
        FilterSettings five = new FilterSettings(1 << 20, 64 << 10, 1 << 20, 5);
        try (TestApp app = TestApp.on(web).settings(five).serve((request, response) -> {
            inside.countDown();
            await(goOn);
            response.getWriter().print("done");
        })) {
            List<CompletableFuture<HttpResponse<byte[]>>> running = List.of(
                    app.post("/").key("k").later(),
                    app.post("/").key("k").user("bob").later());
            await(inside);
            List<CompletableFuture<HttpResponse<byte[]>>> waiting = new ArrayList<>();
            for (int i = 1; i <= 4; i++) {
                waiting.add(waiting(app, "ann").later());
                app.time.awaitScheduled(i);
            }
            assertProblem(waiting(app, "ann").send(), 409, "in_progress", "Request already being processed");
            waiting.add(waiting(app, "bob").later());
            app.time.awaitScheduled(5);
            assertProblem(waiting(app, "bob").send(), 409, "in_progress", "Request already being processed");
            goOn.countDown();
            for (CompletableFuture<HttpResponse<byte[]>> reply : waiting) {
                assertThat(isReplay(reply.get(30, TimeUnit.SECONDS))).isTrue();
            }
            for (CompletableFuture<HttpResponse<byte[]>> reply : running) {
                assertThat(isReplay(reply.get(30, TimeUnit.SECONDS))).isFalse();
            }
            assertThat(isReplay(waiting(app, "ann").send())).isTrue();
        }
    }

    private static TestApp.RequestBuilder waiting(TestApp app, String user) {
        return app.post("/").key("k").user(user).header("Prefer", "wait=30");
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    @Test
    void exceptionWithAnUnclearCause_leavesTheOutcomeUnknown() throws Exception {
        Idempotency freeze = Idempotency.leased(IfAbandoned.FREEZE);
        for (Exception thrown : List.of(
                new ServletException(new UnknownOutcomeException("the bank does not reply", null)),
                new ServletException(new InterruptedException()),
                new ServletException(new StackOverflowError()),
                new ServletException(new ServletException(new StackOverflowError())),
                new IllegalStateException(new InterruptedException()),
                new IllegalStateException(new StackOverflowError()),
                new IllegalStateException(new UnknownOutcomeException("the bank does not reply", null)),
                new InterruptedIOException(),
                new ClosedByInterruptException(),
                new IOException(new ExecutionException(new InterruptedException())))) {
            runs.set(0);
            try (TestApp app = TestApp.on(web).rule(freeze).serve((request, response) -> {
                runs.incrementAndGet();
                throwIt(thrown);
            })) {
                for (int i = 0; i < 2; i++) {
                    assertProblem(app.post("/").key("k").send(), 409, "outcome_unknown", "Outcome unknown");
                }
                assertThat(runs).hasValue(1);
            }
        }
    }

    @Test
    void interruptedHandler_leavesTheOutcomeUnknown() throws Exception {
        Idempotency freeze = Idempotency.leased(IfAbandoned.FREEZE);
        try (TestApp app = TestApp.on(web).rule(freeze).serve((request, response) -> {
            runs.incrementAndGet();
            Thread.currentThread().interrupt();
            throw new IllegalStateException(new InterruptedException());
        })) {
            for (int i = 0; i < 2; i++) {
                assertProblem(app.post("/").key("k").send(), 409, "outcome_unknown", "Outcome unknown");
            }
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void causeOfAnUnknownOutcome_isLoggedOnce() throws Exception {
        Idempotency freeze = Idempotency.leased(IfAbandoned.FREEZE);
        Error cause = new StackOverflowError();
        try (Logged logged = new Logged(Once.class);
                TestApp app = TestApp.on(web).rule(freeze).serve((request, response) -> {
                    throw cause;
                })) {
            app.post("/").key("k").send();
            app.post("/").key("k").send();
            assertThat(logged.records()).hasSize(1);
            assertThat(logged.records().get(0).getThrown())
                    .satisfiesAnyOf(
                            thrown -> assertThat(thrown).isSameAs(cause),
                            thrown -> assertThat(thrown).hasRootCause(cause));
            assertThat(logged.records().get(0).getMessage()).startsWith("Outcome unknown: endpoint POST /, fencing");
        }
    }

    @Test
    void unavailableStore_isReportedAndNothingRuns() throws Exception {
        for (Idempotency mode : MODES) {
            runs.set(0);
            try (TestApp app = TestApp.on(web).rule(mode).serve((request, response) -> runs.incrementAndGet())) {
                app.store.goDown();
                HttpResponse<byte[]> down = app.post("/").key("k").send();
                assertProblem(down, 503, "store_unavailable", "Store unavailable");
                assertThat(header(down, "Retry-After")).isEqualTo("1");
                assertThat(runs).hasValue(0);
                app.store.comeUp();
                assertThat(app.post("/").key("k").send().statusCode()).isEqualTo(200);
                assertThat(runs).hasValue(1);
            }
        }
    }

    @Test
    void storeFailingBeforeTheCommit_leavesNothing() throws Exception {
        try (TestApp app = TestApp.on(web).serve((request, response) -> {
            response.setContentType("text/plain;charset=utf-16");
            response.getWriter().print(Counter.increment(IdempotencyFilter.transaction(request)));
        })) {
            app.store.failBefore(1_000);
            HttpResponse<byte[]> reply = app.post("/").key("k").send();
            assertProblem(reply, 503, "store_unavailable", "Store unavailable");
            assertThat(Counter.read(app.store)).isZero();
            app.store.failBefore(0);
            assertThat(isReplay(app.post("/").key("k").send())).isFalse();
            assertThat(Counter.read(app.store)).isEqualTo(1);
        }
    }

    @Test
    void storeFailingAfterTheCommit_isResolvedByTheRetry() throws Exception {
        try (TestApp app = TestApp.on(web)
                .serve((request, response) ->
                        response.getWriter().print(Counter.increment(IdempotencyFilter.transaction(request))))) {
            app.store.loseResponses(1_000);
            assertThat(app.post("/").key("k").send().statusCode()).isEqualTo(503);
            app.store.loseResponses(0);
            HttpResponse<byte[]> again = app.post("/").key("k").send();
            assertThat(text(again)).isEqualTo("1");
            assertThat(isReplay(again)).isTrue();
            assertThat(Counter.read(app.store)).isEqualTo(1);
        }
    }

    @Test
    void storeUnavailableToTheHandler_isReportedAndNothingIsRecorded() throws Exception {
        try (TestApp app = TestApp.on(web).serve((request, response) -> {
            response.setStatus(201);
            response.getWriter().print(Counter.increment(IdempotencyFilter.transaction(request)));
        })) {
            app.store.failAtRandom(3, 0.4);
            int done = 0;
            for (int i = 0; i < 40; i++) {
                HttpResponse<byte[]> reply = app.post("/").key("k").send();
                assertThat(reply.statusCode()).isIn(201, 503);
                done += reply.statusCode() == 201 ? 1 : 0;
            }
            app.store.failAtRandom(0, 0);
            assertThat(done).isPositive();
            assertThat(Counter.read(app.store)).isEqualTo(1);
        }
    }
}
