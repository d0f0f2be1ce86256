package dev.semel.http.servlet;

import static dev.semel.http.servlet.Responses.assertProblem;
import static dev.semel.http.servlet.Responses.isReplay;
import static dev.semel.http.servlet.Responses.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.semel.http.FilterSettings;
import dev.semel.http.Idempotency;
import dev.semel.once.OnceSettings;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletRequest;
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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Asynchronous handlers that stream, read or write without blocking, and clients that disconnect meanwhile. */
@Tag("jdk")
@ParameterizedClass
@EnumSource(Container.class)
class AsyncStreamTest extends AsyncHandlers {

    AsyncStreamTest(Container web) {
        super(web);
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

    /** Completes when the container has noticed that a client has disconnected, before the filter is notified. */
    private CompletableFuture<Void> noticed = new CompletableFuture<>();

    private final Filter notesDisconnects = (request, response, chain) -> {
        CompletableFuture<Void> noticedHere = noticed;
        chain.doFilter(
                new HttpServletRequestWrapper((HttpServletRequest) request) {
                    @Override
                    public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
                        AsyncContext context = super.startAsync(request, response);
                        context.addListener(new Listener() {
                            @Override
                            public void onError(AsyncEvent event) {
                                noticedHere.complete(null);
                            }
                        });
                        return context;
                    }
                },
                response);
    };

    private TestApp.Builder noting(Idempotency rule) {
        charges.set(0);
        noticed = new CompletableFuture<>();
        return TestApp.on(web).rule(rule).async().inFront(notesDisconnects);
    }

    /** Handles a request asynchronously the first time, and at once if it runs again. */
    private void chargeOrDispatch(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        if (request.getDispatcherType() == DispatcherType.ASYNC) {
            response.getWriter().print(" dispatched");
        } else if (charges.get() > 0) {
            charges.incrementAndGet();
            response.getWriter().print("again");
        } else {
            charging.handle(request, response);
        }
    }

    /** Sends a request whose response is streamed, and disconnects. */
    private AsyncContext disconnect(TestApp app, boolean afterTheDispatch) throws Exception {
        try (Socket socket = app.connect()) {
            TestApp.send(
                    socket,
                    "POST / HTTP/1.1\r\nHost: a\r\nX-User: ann\r\nContent-Length: 0\r\nIdempotency-Key: k\r\n\r\n");
            AsyncContext context = next();
            if (afterTheDispatch) {
                app.awaitIdle();
            }
            write(context, "begin");
            context.getResponse().flushBuffer();
            TestApp.replyUpTo("begin", socket);
            socket.setSoLinger(true, 0);
            return context;
        }
    }

    /** Writes ten times, and on Tomcat until something holds. Returns what the response has then. */
    private String writeUntil(BooleanSupplier condition, AsyncContext context) throws IOException {
        StringBuilder written = new StringBuilder("begin");
        for (int i = 0; i < 10 || (web == Container.TOMCAT && !condition.getAsBoolean()); i++) {
            write(context, " more");
            context.getResponse().flushBuffer();
            written.append(" more");
            assertThat(i).isLessThan(100_000);
        }
        return written.toString();
    }

    private void disconnectAndWriteUntilItIsNoticed(TestApp app) throws Exception {
        writeUntil(noticed::isDone, disconnect(app, true));
    }

    private static void end(AsyncContext context, boolean dispatch) throws IOException {
        write(context, " end");
        if (dispatch) {
            context.dispatch();
        } else {
            context.complete();
        }
    }

    private void assertRecorded(TestApp app, String text) throws Exception {
        HttpResponse<byte[]> again = settled(app);
        assertThat(text(again)).isEqualTo(text);
        assertThat(isReplay(again)).isTrue();
        assertThat(charges).hasValue(1);
    }

    @Test
    void clientThatDisconnectsWhileTheResponseIsStreamed_getsItOnRetry() throws Exception {
        for (boolean dispatch : new boolean[] {false, true}) {
            for (Idempotency mode : MODES) {
                try (TestApp app = noting(mode).serve(this::chargeOrDispatch)) {
                    AsyncContext context = disconnect(app, true);
                    String written = writeUntil(noticed::isDone, context);
                    assertProblem(app.post("/").key("k").send(), 409, "in_progress", "Request already being processed");
                    end(context, dispatch);
                    assertRecorded(app, written + (dispatch ? " end dispatched" : " end"));
                }
            }
        }
    }

    /** Tomcat reports a failed write on another thread. */
    @Test
    void responseThatEndsWhileTheDisconnectIsReported_isRecorded() throws Exception {
        for (int i = 0; i < 100; i++) {
            boolean dispatch = i % 2 == 0;
            try (TestApp app = noting(i % 4 < 2 ? FREEZE : RERUN).serve(this::chargeOrDispatch)) {
                AsyncContext context = disconnect(app, true);
                String written = writeUntil(() -> true, context);
                end(context, dispatch);
                assertRecorded(app, written + (dispatch ? " end dispatched" : " end"));
            }
        }
    }

    /** Returns whether Tomcat has noticed that the client has disconnected: it then starts nothing, even if it has not reported it. */
    private static boolean hasFailed(AsyncContext context) {
        try {
            context.start(() -> {});
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    /** Tomcat loses a dispatch after a write that fails before the previous dispatch has returned. */
    @Test
    void clientThatDisconnectsBeforeTheHandlerReturns_getsACompletedResponse_andADispatchEndsInTime() throws Exception {
        for (boolean dispatch : new boolean[] {false, true}) {
            for (Idempotency mode : MODES) {
                CompletableFuture<Void> returning = new CompletableFuture<>();
                try (TestApp app = noting(mode).serve((request, response) -> {
                    chargeOrDispatch(request, response);
                    if (request.isAsyncStarted()) {
                        returning.join();
                    }
                })) {
                    AsyncContext context = disconnect(app, false);
                    String written = writeUntil(() -> hasFailed(context), context);
                    returning.complete(null);
                    if (web == Container.TOMCAT) {
                        noticed.get(30, TimeUnit.SECONDS);
                    }
                    end(context, dispatch);
                    if (!dispatch || web == Container.JETTY) {
                        assertRecorded(app, written + (dispatch ? " end dispatched" : " end"));
                    } else if (mode.equals(FREEZE)) {
                        assertProblem(settled(app), 409, "outcome_unknown", "Outcome unknown");
                        assertThat(charges).hasValue(1);
                    } else {
                        assertThat(text(settled(app))).isEqualTo("again");
                        assertThat(charges).hasValue(2);
                    }
                }
            }
        }
    }

    /** Only Tomcat notices. Jetty discards what is written. */
    @Test
    void handlerWhoseClientHasDisconnected_isNotifiedAfterItsTimeOut_andThenUnknown() throws Exception {
        assumeThat(web).isEqualTo(Container.TOMCAT);
        try (TestApp app = noting(FREEZE).serve((request, response) -> {
            charging.handle(request, response);
            request.getAsyncContext().setTimeout(1_000);
        })) {
            disconnectAndWriteUntilItIsNoticed(app);
            assertProblem(settled(app), 409, "outcome_unknown", "Outcome unknown");
            assertThat(charges).hasValue(1);
        }
    }

    @Test
    void handlerWhoseClientHasDisconnected_isNotifiedWhenItsLeaseIsLost() throws Exception {
        assumeThat(web).isEqualTo(Container.TOMCAT);
        CompletableFuture<Void> notified = new CompletableFuture<>();
        try (TestApp app = noting(FREEZE).serve((request, response) -> {
            charging.handle(request, response);
            request.getAsyncContext().addListener(new Listener() {
                @Override
                public void onError(AsyncEvent event) {
                    notified.complete(null);
                }
            });
        })) {
            disconnectAndWriteUntilItIsNoticed(app);
            app.store.goDown();
            assertThat(notified).isNotDone();
            app.time.advance(OnceSettings.DEFAULTS.lease().plusSeconds(1));
            notified.get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void handlerWhoseClientHasDisconnected_isNotifiedAtOnceIfTooManyThreadsWait() throws Exception {
        assumeThat(web).isEqualTo(Container.TOMCAT);
        CompletableFuture<Void> completed = new CompletableFuture<>();
        try (TestApp app = noting(FREEZE)
                .settings(new FilterSettings(1 << 20, 64 << 10, 1 << 20, 0))
                .serve((request, response) -> {
                    charging.handle(request, response);
                    request.getAsyncContext().addListener(new Listener() {
                        @Override
                        public void onComplete(AsyncEvent event) {
                            completed.complete(null);
                        }
                    });
                })) {
            disconnectAndWriteUntilItIsNoticed(app);
            completed.get(30, TimeUnit.SECONDS);
            assertProblem(app.post("/").key("k").send(), 409, "outcome_unknown", "Outcome unknown");
            assertThat(charges).hasValue(1);
        }
    }
}
