package dev.semel.http.servlet;

import static dev.semel.http.servlet.Responses.assertProblem;
import static dev.semel.http.servlet.Responses.header;
import static dev.semel.http.servlet.Responses.isReplay;
import static dev.semel.http.servlet.Responses.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.http.Idempotency;
import dev.semel.once.OnceSettings;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Time;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Handlers that complete their requests after they have returned. */
@Tag("jdk")
@ParameterizedClass
@EnumSource(Container.class)
class AsyncTest {

    private static final Idempotency FREEZE = Idempotency.leased(IfAbandoned.FREEZE);
    private static final Idempotency RERUN = Idempotency.leased(IfAbandoned.RERUN);
    private static final List<Idempotency> MODES = List.of(FREEZE, RERUN);

    private final Container web;
    private final AtomicInteger charges = new AtomicInteger();
    private final BlockingQueue<AsyncContext> started = new LinkedBlockingQueue<>();

    AsyncTest(Container web) {
        this.web = web;
    }

    /** Starts an asynchronous request and returns. */
    private final TestApp.Handler charging = (request, response) -> {
        charges.incrementAndGet();
        AsyncContext context = request.startAsync();
        context.setTimeout(0);
        started.add(context);
    };

    private AsyncContext next() throws InterruptedException {
        AsyncContext context = started.poll(30, TimeUnit.SECONDS);
        assertThat(context).isNotNull();
        return context;
    }

    private static void write(AsyncContext context, String text) throws IOException {
        context.getResponse().getWriter().print(text);
    }

    private TestApp serve(Idempotency rule, TestApp.Handler handler) throws Exception {
        charges.set(0);
        return TestApp.on(web).rule(rule).async().serve(handler);
    }

    private static HttpResponse<byte[]> get(CompletableFuture<HttpResponse<byte[]>> reply) throws Exception {
        return reply.get(30, TimeUnit.SECONDS);
    }

    /** Whether a key is still in use, once the other thread has recorded how its request ended. */
    private static HttpResponse<byte[]> settled(TestApp app) throws Exception {
        HttpResponse<byte[]> reply =
                app.post("/").key("k").header("Prefer", "wait=30").send();
        assertThat(text(reply)).doesNotContain("in_progress");
        return reply;
    }

    @Test
    void completedRequest_isRecordedBeforeItIsSent_andReplayed() throws Exception {
        for (Idempotency mode : MODES) {
            try (TestApp app = serve(mode, charging)) {
                CompletableFuture<HttpResponse<byte[]>> first =
                        app.post("/").key("k").later();
                AsyncContext context = next();
                for (int i = 0; i < 3; i++) {
                    app.time.advance(OnceSettings.DEFAULTS.lease()); // which is renewed
                    assertProblem(app.post("/").key("k").send(), 409, "in_progress", "Request already being processed");
                }
                ((HttpServletResponse) context.getResponse()).setStatus(201);
                write(context, "charged");
                assertThat(first).isNotDone();
                context.complete();
                assertThat(text(get(first))).isEqualTo("charged");
                assertThat(get(first).statusCode()).isEqualTo(201);
                assertThat(header(get(first), "Idempotency-Expires")).isNotEmpty();
                assertThat(header(get(first), "Content-Length")).isEqualTo("7");
                HttpResponse<byte[]> again = app.post("/").key("k").send();
                assertThat(isReplay(again)).isTrue();
                assertThat(text(again)).isEqualTo("charged");
                assertThat(charges).hasValue(1);
            }
        }
    }

    @Test
    void completedRequestThatCannotBeRecorded_isNotSent() throws Exception {
        OnceSettings quick = OnceSettings.DEFAULTS.withLease(Duration.ofSeconds(3));
        try (TestApp app = TestApp.on(web).rule(FREEZE).once(quick).async().serve(charging)) {
            CompletableFuture<HttpResponse<byte[]>> first =
                    app.post("/").key("k").later();
            AsyncContext context = next();
            write(context, "charged");
            app.store.goDown();
            context.complete();
            assertProblem(get(first), 503, "store_unavailable", "Store unavailable");
            app.store.comeUp();
            app.time.advance(Duration.ofMinutes(1));
            assertProblem(app.post("/").key("k").send(), 409, "outcome_unknown", "Outcome unknown");
            assertThat(charges).hasValue(1);
        }
    }

    /** As frameworks do: the result is rendered in a dispatch to the same path. */
    private TestApp.Handler rendering(CompletableFuture<String> result) {
        return (request, response) -> {
            if (request.getDispatcherType() == DispatcherType.ASYNC) {
                response.setStatus(201);
                response.getWriter().print(result.join());
                response.flushBuffer();
                return;
            }
            charges.incrementAndGet();
            AsyncContext context = request.startAsync(request, response);
            context.setTimeout(0);
            var unused = result.whenComplete((text, failure) -> context.dispatch());
            started.add(context);
        };
    }

    @Test
    void dispatchedRequest_isRecordedBeforeItIsSent_andReplayed() throws Exception {
        for (Idempotency mode : MODES) {
            CompletableFuture<String> result = new CompletableFuture<>();
            try (TestApp app = serve(mode, rendering(result))) {
                CompletableFuture<HttpResponse<byte[]>> first =
                        app.post("/").key("k").later();
                next();
                assertThat(app.post("/").key("k").send().statusCode()).isEqualTo(409);
                result.complete("charged");
                assertThat(get(first).statusCode()).isEqualTo(201);
                assertThat(text(get(first))).isEqualTo("charged");
                assertThat(header(get(first), "Idempotency-Expires")).isNotEmpty();
                assertThat(header(get(first), "Content-Length")).isEqualTo("7");
                HttpResponse<byte[]> again = app.post("/").key("k").send();
                assertThat(isReplay(again)).isTrue();
                assertThat(text(again)).isEqualTo("charged");
                assertThat(charges).hasValue(1);
            }
        }
    }

    @Test
    void requestThatIsCompleteAtOnce_isRecorded() throws Exception {
        for (boolean dispatch : new boolean[] {false, true}) {
            for (Idempotency mode : MODES) {
                try (TestApp app = serve(mode, (request, response) -> {
                    if (request.getDispatcherType() == DispatcherType.ASYNC) {
                        response.getWriter().print(" dispatched");
                        return;
                    }
                    charges.incrementAndGet();
                    AsyncContext context = request.startAsync();
                    context.getResponse().getWriter().print("charged");
                    assertThat(request.getAsyncContext()).isSameAs(context);
                    assertThat(request.isAsyncStarted()).isTrue();
                    if (dispatch) {
                        context.dispatch();
                    } else {
                        context.complete();
                    }
                    assertThatThrownBy(context::complete).isInstanceOf(IllegalStateException.class);
                    assertThatThrownBy(context::dispatch).isInstanceOf(IllegalStateException.class);
                })) {
                    String expected = dispatch ? "charged dispatched" : "charged";
                    assertThat(text(app.post("/").key("k").send())).isEqualTo(expected);
                    HttpResponse<byte[]> again = app.post("/").key("k").send();
                    assertThat(text(again)).isEqualTo(expected);
                    assertThat(isReplay(again)).isTrue();
                    assertThat(charges).hasValue(1);
                }
            }
        }
    }

    @Test
    void severalCycles_areOneRun() throws Exception {
        for (Idempotency mode : MODES) {
            AtomicInteger cycles = new AtomicInteger();
            AtomicInteger restarts = new AtomicInteger();
            try (TestApp app = serve(mode, (request, response) -> {
                if (cycles.incrementAndGet() == 1) {
                    charges.incrementAndGet();
                }
                response.getWriter().print(cycles + " ");
                if (cycles.get() < 4) {
                    AsyncContext context = request.startAsync(request, response);
                    context.addListener(new Listener() {
                        @Override
                        public void onStartAsync(AsyncEvent event) {
                            restarts.incrementAndGet();
                        }
                    });
                    context.start(cycles.get() == 3 ? context::complete : context::dispatch);
                }
            })) {
                assertThat(text(app.post("/").key("k").send())).isEqualTo("1 2 3 ");
                assertThat(isReplay(app.post("/").key("k").send())).isTrue();
                assertThat(charges).hasValue(1);
                assertThat(restarts).hasValue(2);
            }
        }
    }

    private static class Listener implements AsyncListener {

        @Override
        public void onStartAsync(AsyncEvent event) {}

        @Override
        public void onTimeout(AsyncEvent event) throws IOException {}

        @Override
        public void onError(AsyncEvent event) throws IOException {}

        @Override
        public void onComplete(AsyncEvent event) {}
    }

    @Test
    void failureOfADispatch_isRethrownToTheContainer_andRunsAgain() throws Exception {
        for (Idempotency mode : MODES) {
            try (TestApp app = serve(mode, (request, response) -> {
                if (request.getRequestURI().equals(Container.ERRORS)) {
                    response.getWriter().print("the application's own page");
                } else if (request.getDispatcherType() != DispatcherType.ASYNC) {
                    charges.incrementAndGet();
                    request.startAsync().dispatch();
                } else if (charges.get() < 3) {
                    throw new ServletException("the future has failed");
                } else {
                    response.getWriter().print("charged");
                }
            })) {
                for (int i = 1; i <= 2; i++) {
                    HttpResponse<byte[]> reply = app.post("/").key("k").send();
                    assertThat(reply.statusCode()).isEqualTo(500);
                    assertThat(text(reply)).isEqualTo("the application's own page");
                    assertThat(charges).hasValue(i);
                }
                assertThat(text(app.post("/").key("k").send())).isEqualTo("charged");
            }
        }
    }

    @Test
    void unclearFailureOfADispatch_isUnknown() throws Exception {
        try (TestApp app = serve(FREEZE, (request, response) -> {
            if (request.getDispatcherType() != DispatcherType.ASYNC) {
                charges.incrementAndGet();
                request.startAsync().dispatch();
            } else {
                throw new ServletException(new StackOverflowError());
            }
        })) {
            for (int i = 0; i < 2; i++) {
                assertProblem(app.post("/").key("k").send(), 409, "outcome_unknown", "Outcome unknown");
            }
            assertThat(charges).hasValue(1);
        }
    }

    @Test
    void exceptionAfterStartAsync_isUnknown_orRunsAgain() throws Exception {
        for (Idempotency mode : MODES) {
            try (TestApp app = serve(mode, (request, response) -> {
                if (!request.getRequestURI().equals(Container.ERRORS)) {
                    charges.incrementAndGet();
                    request.startAsync();
                    throw new IllegalStateException("the future is running");
                }
            })) {
                for (int i = 1; i <= 3; i++) {
                    HttpResponse<byte[]> reply = app.post("/").key("k").send();
                    assertThat(reply.statusCode()).isEqualTo(mode.equals(FREEZE) ? 409 : 500);
                    assertThat(charges).hasValue(mode.equals(FREEZE) ? 1 : i);
                }
            }
        }
    }

    @Test
    void asyncThatIsNotSupported_isUnknown_orRunsAgain() throws Exception {
        for (boolean asks : new boolean[] {true, false}) {
            for (Idempotency mode : MODES) {
                charges.set(0);
                try (TestApp app = TestApp.on(web).rule(mode).serve((request, response) -> {
                    charges.incrementAndGet();
                    if (!asks || !request.isAsyncSupported()) {
                        request.startAsync(); // throws
                    }
                })) {
                    for (int i = 1; i <= 3; i++) {
                        HttpResponse<byte[]> reply = app.post("/").key("k").send();
                        assertThat(reply.statusCode()).isEqualTo(mode.equals(FREEZE) ? 409 : 500);
                    }
                    assertThat(charges.get()).isEqualTo(mode.equals(FREEZE) ? 1 : charges.get());
                }
            }
        }
    }

    @Test
    void atomicRoute_rejectsStartAsync() throws Exception {
        try (TestApp app = serve(Idempotency.atomic(), (request, response) -> {
            assertThat(request.isAsyncSupported()).isFalse();
            assertThatThrownBy(request::startAsync)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("The route is atomic");
            assertThatThrownBy(() -> request.startAsync(request, response)).isInstanceOf(IllegalStateException.class);
            response.setStatus(202);
        })) {
            assertThat(app.post("/").key("k").send().statusCode()).isEqualTo(202);
        }
    }

    @Test
    void timeOut_isUnknown_orRunsAgain() throws Exception {
        for (Idempotency mode : MODES) {
            try (TestApp app = serve(mode, (request, response) -> {
                if (!request.getRequestURI().equals(Container.ERRORS)) {
                    charges.incrementAndGet();
                    AsyncContext context = request.startAsync();
                    context.setTimeout(50);
                    started.add(context);
                }
            })) {
                for (int i = 1; i <= 3; i++) {
                    HttpResponse<byte[]> reply = app.post("/").key("k").send();
                    assertThat(reply.statusCode()).isEqualTo(mode.equals(FREEZE) ? 409 : 500);
                    assertThat(charges).hasValue(mode.equals(FREEZE) ? 1 : i);
                }
                AsyncContext late = next();
                assertThatThrownBy(late::complete).isInstanceOf(IllegalStateException.class);
                started.clear();
            }
        }
    }

    /** As frameworks do, the handler dispatches after the time-out, and finds that the response is committed. */
    @Test
    void timeOutOfAStreamedResponse_cutsItOff() throws Exception {
        for (Idempotency mode : MODES) {
            charges.set(0);
            try (TestApp app = serve(mode, (request, response) -> {
                if (request.getDispatcherType() != DispatcherType.ASYNC) {
                    charges.incrementAndGet();
                    AsyncContext context = request.startAsync(request, response);
                    context.setTimeout(500);
                    context.addListener(new Listener() {
                        @Override
                        public void onTimeout(AsyncEvent event) {
                            event.getAsyncContext().dispatch();
                        }
                    });
                    write(context, "begin");
                    response.flushBuffer();
                }
            })) {
                assertThatThrownBy(() -> app.post("/").key("k").send()).isInstanceOf(IOException.class);
                if (mode.equals(FREEZE)) {
                    assertThat(app.post("/").key("k").send().statusCode()).isEqualTo(409);
                } else {
                    assertThatThrownBy(() -> app.post("/").key("k").send()).isInstanceOf(IOException.class);
                }
                assertThat(charges).hasValue(mode.equals(FREEZE) ? 1 : 2);
            }
        }
    }

    /** Responds to a time-out, by a dispatch or at once. */
    private TestApp.Handler respondingToTimeOuts(boolean dispatch, int status) {
        return (request, response) -> {
            if (request.getDispatcherType() == DispatcherType.ASYNC) {
                response.setStatus(status);
                return;
            }
            charges.incrementAndGet();
            AsyncContext context = request.startAsync(request, response);
            context.setTimeout(50);
            context.addListener(
                    new Listener() {
                        @Override
                        public void onTimeout(AsyncEvent event) {
                            assertThat(event.getAsyncContext()).isSameAs(context);
                            assertThat(event.getSuppliedRequest()).isSameAs(request);
                            if (dispatch) {
                                event.getAsyncContext().dispatch();
                            } else {
                                ((HttpServletResponse) event.getSuppliedResponse()).setStatus(status);
                                event.getAsyncContext().complete();
                            }
                        }
                    },
                    request,
                    response);
        };
    }

    @Test
    void timeOutThatTheHandlerReportsAsAFailure_isUnknown() throws Exception {
        for (int status : List.of(503, 409)) {
            boolean dispatch = status == 503;
            try (TestApp app = serve(FREEZE, respondingToTimeOuts(dispatch, status))) {
                for (int i = 0; i < 2; i++) {
                    assertProblem(app.post("/").key("k").send(), 409, "outcome_unknown", "Outcome unknown");
                }
                assertThat(charges).hasValue(1);
            }
        }
    }

    @Test
    void timeOutThatTheHandlerReportsAsAFailure_runsAgain() throws Exception {
        try (TestApp app = serve(RERUN, respondingToTimeOuts(true, 503))) {
            for (int i = 1; i <= 2; i++) {
                assertThat(app.post("/").key("k").send().statusCode()).isEqualTo(503);
                assertThat(charges).hasValue(i);
            }
        }
    }

    @Test
    void timeOutToWhichTheHandlerHasAResponse_isRecorded() throws Exception {
        try (TestApp app = serve(FREEZE, respondingToTimeOuts(false, 202))) {
            for (int i = 0; i < 2; i++) {
                assertThat(app.post("/").key("k").send().statusCode()).isEqualTo(202);
            }
            assertThat(charges).hasValue(1);
        }
    }

    @Test
    void timeOutWhileTheResponseIsRecorded_doesNotEndTheRequest() throws Exception {
        CompletableFuture<Void> timedOut = new CompletableFuture<>();
        CompletableFuture<Void> returned = new CompletableFuture<>();
        Filter notesTimeOuts = (request, response, chain) -> {
            chain.doFilter(
                    new HttpServletRequestWrapper((HttpServletRequest) request) {
                        @Override
                        public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
                            AsyncContext context = super.startAsync(request, response);
                            context.addListener(new Listener() {
                                @Override
                                public void onTimeout(AsyncEvent event) {
                                    timedOut.complete(null);
                                }
                            });
                            return context;
                        }
                    },
                    response);
            returned.complete(null);
        };
        try (TestApp app = TestApp.on(web)
                .rule(FREEZE)
                .async()
                .inFront(notesTimeOuts)
                .serve((request, response) -> {
                    charges.incrementAndGet();
                    AsyncContext context = request.startAsync();
                    context.setTimeout(100);
                    started.add(context);
                })) {
            CompletableFuture<HttpResponse<byte[]>> first =
                    app.post("/").key("k").later();
            AsyncContext context = next();
            returned.join(); // a container does not end a request that is being dispatched
            app.store.beforeCommit(timedOut::join);
            write(context, "charged");
            context.complete();
            assertThat(text(get(first))).isEqualTo("charged");
            assertThat(timedOut).isDone();
            assertThat(isReplay(app.post("/").key("k").send())).isTrue();
            assertThat(charges).hasValue(1);
        }
    }

    @Test
    void clientThatDisconnects_getsTheResponseOnRetry() throws Exception {
        for (Idempotency mode : MODES) {
            try (TestApp app = serve(mode, charging)) {
                AsyncContext context;
                try (Socket socket = app.connect()) {
                    TestApp.send(
                            socket,
                            "POST / HTTP/1.1\r\nHost: a\r\nX-User: ann\r\nContent-Length: 0\r\nIdempotency-Key: k\r\n\r\n");
                    context = next();
                    socket.setSoLinger(true, 0);
                }
                assertThat(app.post("/").key("k").send().statusCode()).isEqualTo(409);
                write(context, "charged");
                context.complete();
                assertThat(text(settled(app))).isEqualTo("charged");
                assertThat(isReplay(app.post("/").key("k").send())).isTrue();
                assertThat(charges).hasValue(1);
            }
        }
    }

    @Test
    void flushedResponse_isStreamedUntilTheRequestIsDispatched() throws Exception {
        try (TestApp app = serve(FREEZE, charging)) {
            HttpResponse<InputStream> reply;
            CompletableFuture<AsyncContext> context = CompletableFuture.supplyAsync(() -> {
                try {
                    AsyncContext next = next();
                    write(next, "first event");
                    next.getResponse().flushBuffer();
                    return next;
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
            reply = app.post("/").key("k").open();
            assertThat(reply.body().readNBytes(11)).asString().isEqualTo("first event");
            write(context.join(), ", second event");
            context.join().complete();
            assertThat(reply.body().readAllBytes()).asString().isEqualTo(", second event");
            assertThat(text(settled(app))).isEqualTo("first event, second event");
        }
    }

    @Test
    void streamedResponseThatCannotBeRecorded_isCutOff() throws Exception {
        OnceSettings quick = OnceSettings.DEFAULTS.withLease(Duration.ofSeconds(3));
        try (TestApp app = TestApp.on(web).rule(FREEZE).once(quick).async().serve(charging)) {
            CompletableFuture<HttpResponse<byte[]>> first =
                    app.post("/").key("k").later();
            AsyncContext context = next();
            write(context, "begin");
            context.getResponse().flushBuffer();
            app.store.goDown();
            context.complete();
            assertThatThrownBy(() -> get(first)).hasCauseInstanceOf(IOException.class);
        }
    }

    @Test
    void manyAtOnce_haveOneEffectForEachKey() throws Exception {
        for (Idempotency mode : MODES) {
            try (TestApp app = serve(mode, (request, response) -> {
                if (request.getDispatcherType() == DispatcherType.ASYNC) {
                    response.getWriter().print("charged");
                    return;
                }
                boolean dispatch = charges.incrementAndGet() % 2 == 0;
                AsyncContext context = request.startAsync();
                Time.threads().execute(() -> {
                    try {
                        if (dispatch) {
                            context.dispatch();
                        } else {
                            write(context, "charged");
                            context.complete();
                        }
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                });
            })) {
                List<CompletableFuture<HttpResponse<byte[]>>> replies = new ArrayList<>();
                for (int i = 0; i < 160; i++) {
                    replies.add(app.post("/").key("k" + i / 8).later());
                }
                for (CompletableFuture<HttpResponse<byte[]>> reply : replies) {
                    assertThat(get(reply).statusCode()).isIn(200, 409);
                    assertThat(text(get(reply))).containsAnyOf("charged", "in_progress");
                }
                for (int i = 0; i < 20; i++) {
                    HttpResponse<byte[]> again = app.post("/").key("k" + i).send();
                    assertThat(text(again)).isEqualTo("charged");
                    assertThat(isReplay(again)).isTrue();
                }
                assertThat(charges).hasValue(20);
            }
        }
    }

    @Test
    void processThatCrashes_leavesTheOutcomeUnknown_orRunsAgain() throws Exception {
        for (Idempotency mode : MODES) {
            try (TestApp app = serve(mode, charging)) {
                CompletableFuture<HttpResponse<byte[]>> first =
                        app.post("/").key("k").later();
                AsyncContext context = next();
                app.store.goDown(); // as a process that cannot renew its lease
                app.time.advance(OnceSettings.DEFAULTS.lease().plusSeconds(1));
                app.store.comeUp();
                try (TestApp other = TestApp.on(web)
                        .rule(mode)
                        .on(app.store)
                        .async()
                        .serve((request, response) -> {
                            charges.incrementAndGet();
                        })) {
                    other.time.advance(OnceSettings.DEFAULTS.lease().plusSeconds(1));
                    HttpResponse<byte[]> second = other.post("/").key("k").send();
                    assertThat(second.statusCode()).isEqualTo(mode.equals(FREEZE) ? 409 : 200);
                    assertThat(charges).hasValue(mode.equals(FREEZE) ? 1 : 2);
                    context.complete();
                    assertThat(get(first).statusCode()).isEqualTo(mode.equals(FREEZE) ? 409 : 200);
                    assertThat(isReplay(get(first))).isEqualTo(mode.equals(RERUN));
                }
            }
        }
    }

    @Test
    void requestThatIsCompletedPastTheFilter_isUnknown_andLogged() throws Exception {
        for (Idempotency mode : MODES) {
            try (Logged logged = new Logged(IdempotencyFilter.class);
                    TestApp app = serve(mode, (request, response) -> {
                        charges.incrementAndGet();
                        request.startAsync();
                        HttpServletRequest innermost = request;
                        while (innermost instanceof ServletRequestWrapper wrapper) {
                            innermost = (HttpServletRequest) wrapper.getRequest();
                        }
                        innermost.getAsyncContext().complete();
                    })) {
                app.post("/").key("k").send();
                HttpResponse<byte[]> again = settled(app);
                assertThat(logged.records())
                        .anyMatch(logs -> logs.getMessage().startsWith("Asynchronous request not recorded"));
                assertThat(again.statusCode()).isEqualTo(mode.equals(FREEZE) ? 409 : 200);
                assertThat(charges).hasValue(mode.equals(FREEZE) ? 1 : 2);
            }
        }
    }

    @Test
    void nonBlockingHandler_readsAndWrites() throws Exception {
        for (Idempotency mode : MODES) {
            try (TestApp app = serve(mode, (request, response) -> {
                charges.incrementAndGet();
                AsyncContext context = request.startAsync();
                ByteArrayOutputStream body = new ByteArrayOutputStream();
                ServletInputStream in = request.getInputStream();
                in.setReadListener(new ReadListener() {
                    @Override
                    public void onDataAvailable() throws IOException {
                        while (in.isReady() && !in.isFinished()) {
                            body.write(in.read());
                        }
                    }

                    @Override
                    public void onAllDataRead() throws IOException {
                        echo(context, body.toByteArray());
                    }

                    @Override
                    public void onError(Throwable e) {
                        context.complete();
                    }
                });
                body.write('>');
            })) {
                for (String sent : List.of("", "hello")) {
                    HttpResponse<byte[]> first =
                            app.post("/" + sent).key("k").body(sent).send();
                    assertThat(text(first)).isEqualTo(">" + sent);
                    HttpResponse<byte[]> again =
                            app.post("/" + sent).key("k").body(sent).send();
                    assertThat(text(again)).isEqualTo(">" + sent);
                    assertThat(isReplay(again)).isTrue();
                }
                assertThat(charges).hasValue(2);
            }
        }
    }

    private static void echo(AsyncContext context, byte[] body) throws IOException {
        ServletOutputStream out = context.getResponse().getOutputStream();
        out.setWriteListener(new WriteListener() {
            @Override
            public void onWritePossible() throws IOException {
                assertThat(out.isReady()).isTrue();
                out.write(body);
                context.complete();
            }

            @Override
            public void onError(Throwable e) {
                context.complete();
            }
        });
    }

    @Test
    void requestWithoutAKey_isPassedOn() throws Exception {
        CompletableFuture<String> result = CompletableFuture.completedFuture("charged");
        try (TestApp app = serve(FREEZE, rendering(result))) {
            assertThat(text(app.post("/").send())).isEqualTo("charged");
            assertThat(text(app.post("/").send())).isEqualTo("charged");
            assertThat(charges).hasValue(2);
        }
    }
}
