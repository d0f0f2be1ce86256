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
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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
    private final CompletableFuture<Void> noticed = new CompletableFuture<>();

    private final Filter notesDisconnects = (request, response, chain) -> chain.doFilter(
            new HttpServletRequestWrapper((HttpServletRequest) request) {
                @Override
                public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
                    AsyncContext context = super.startAsync(request, response);
                    context.addListener(new Listener() {
                        @Override
                        public void onError(AsyncEvent event) {
                            noticed.complete(null);
                        }
                    });
                    return context;
                }
            },
            response);

    private TestApp.Builder noting(Idempotency rule) {
        charges.set(0);
        return TestApp.on(web).rule(rule).async().inFront(notesDisconnects);
    }

    /** Sends a request, disconnects while its response is streamed, and returns what was written until the container has noticed. */
    private String writeUntilTheClientHasDisconnected(TestApp app, List<AsyncContext> contexts) throws Exception {
        AsyncContext context;
        try (Socket socket = app.connect()) {
            TestApp.send(
                    socket,
                    "POST / HTTP/1.1\r\nHost: a\r\nX-User: ann\r\nContent-Length: 0\r\nIdempotency-Key: k\r\n\r\n");
            context = next();
            write(context, "begin");
            context.getResponse().flushBuffer();
            TestApp.replyUpTo("begin", socket);
            socket.setSoLinger(true, 0);
        }
        StringBuilder written = new StringBuilder("begin");
        for (int i = 0; i < 10 || (web == Container.TOMCAT && !noticed.isDone()); i++) {
            write(context, " more");
            context.getResponse().flushBuffer();
            written.append(" more");
            assertThat(i).isLessThan(100_000);
        }
        contexts.add(context);
        return written.toString();
    }

    @Test
    void clientThatDisconnectsWhileTheResponseIsStreamed_getsItOnRetry() throws Exception {
        for (boolean dispatch : new boolean[] {false, true}) {
            for (Idempotency mode : MODES) {
                try (TestApp app = noting(mode).serve((request, response) -> {
                    if (request.getDispatcherType() == DispatcherType.ASYNC) {
                        response.getWriter().print(" dispatched");
                    } else {
                        charging.handle(request, response);
                    }
                })) {
                    List<AsyncContext> contexts = new ArrayList<>();
                    String written = writeUntilTheClientHasDisconnected(app, contexts);
                    assertProblem(app.post("/").key("k").send(), 409, "in_progress", "Request already being processed");
                    AsyncContext context = contexts.get(0);
                    write(context, " end");
                    if (dispatch) {
                        context.dispatch();
                    } else {
                        context.complete();
                    }
                    HttpResponse<byte[]> again = settled(app);
                    assertThat(text(again)).isEqualTo(written + (dispatch ? " end dispatched" : " end"));
                    assertThat(isReplay(again)).isTrue();
                    assertThat(charges).hasValue(1);
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
            writeUntilTheClientHasDisconnected(app, new ArrayList<>());
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
            writeUntilTheClientHasDisconnected(app, new ArrayList<>());
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
            writeUntilTheClientHasDisconnected(app, new ArrayList<>());
            completed.get(30, TimeUnit.SECONDS);
            assertProblem(app.post("/").key("k").send(), 409, "outcome_unknown", "Outcome unknown");
            assertThat(charges).hasValue(1);
        }
    }
}
