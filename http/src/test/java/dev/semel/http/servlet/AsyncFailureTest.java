package dev.semel.http.servlet;

import static dev.semel.http.servlet.Responses.assertProblem;
import static dev.semel.http.servlet.Responses.isReplay;
import static dev.semel.http.servlet.Responses.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.http.Idempotency;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Asynchronous handlers that fail, or whose requests are completed past the filter. */
@Tag("jdk")
@ParameterizedClass
@EnumSource(Container.class)
class AsyncFailureTest extends AsyncHandlers {

    AsyncFailureTest(Container web) {
        super(web);
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

    /** Asserts that each request gets a response, and that the handler runs again only under RERUN. */
    private void assertUnknownOrRunsAgain(TestApp.Handler handler) throws Exception {
        for (Idempotency mode : MODES) {
            try (TestApp app = serve(mode, (request, response) -> {
                if (!request.getRequestURI().equals(Container.ERRORS)) {
                    handler.handle(request, response);
                }
            })) {
                for (int i = 1; i <= 3; i++) {
                    HttpResponse<byte[]> reply =
                            get(app.post("/").key("k").body("hello").later());
                    if (mode.equals(FREEZE)) {
                        assertProblem(reply, 409, "outcome_unknown", "Outcome unknown");
                    } else {
                        assertThat(reply.statusCode()).isEqualTo(500);
                    }
                    assertThat(charges).hasValue(mode.equals(FREEZE) ? 1 : i);
                }
            }
        }
    }

    @Test
    void errorAfterStartAsync_isUnknown_orRunsAgain() throws Exception {
        assertUnknownOrRunsAgain((request, response) -> {
            charging.handle(request, response);
            throw new StackOverflowError();
        });
    }

    @Test
    void exceptionOfADispatchThatHasRestarted_isUnknown_orRunsAgain() throws Exception {
        assertUnknownOrRunsAgain((request, response) -> {
            if (request.getDispatcherType() != DispatcherType.ASYNC) {
                charges.incrementAndGet();
                request.startAsync().dispatch();
            } else {
                request.startAsync().setTimeout(0);
                throw new IllegalStateException("the future is running");
            }
        });
    }

    private interface Failing {
        void fail() throws IOException;
    }

    /** Reads without blocking, and fails with the first data. */
    private TestApp.Handler reading(Failing failing, Consumer<AsyncContext> onError) {
        return (request, response) -> {
            charging.handle(request, response);
            AsyncContext context = request.getAsyncContext();
            request.getInputStream().setReadListener(new ReadListener() {
                @Override
                public void onDataAvailable() throws IOException {
                    failing.fail();
                }

                @Override
                public void onAllDataRead() {}

                @Override
                public void onError(Throwable e) {
                    onError.accept(context);
                }
            });
        };
    }

    @Test
    void failureOfAListener_isUnknown_orRunsAgain() throws Exception {
        List<Failing> failures = List.of(
                () -> {
                    throw new StackOverflowError();
                },
                () -> {
                    throw new IllegalStateException("the body cannot be parsed");
                },
                () -> {
                    throw new IOException("the body cannot be read");
                });
        for (Failing failing : failures) {
            assertUnknownOrRunsAgain(reading(failing, context -> {}));
            assertUnknownOrRunsAgain(reading(failing, context -> {
                throw new StackOverflowError();
            }));
        }
    }

    @Test
    void failureOfAListenerToWhichTheHandlerHasAResponse_isRecorded() throws Exception {
        TestApp.Handler handler = reading(
                () -> {
                    throw new StackOverflowError();
                },
                context -> {
                    ((HttpServletResponse) context.getResponse()).setStatus(422);
                    context.complete();
                });
        try (TestApp app = serve(FREEZE, handler)) {
            for (int i = 0; i < 2; i++) {
                HttpResponse<byte[]> reply =
                        get(app.post("/").key("k").body("hello").later());
                assertThat(reply.statusCode()).isEqualTo(422);
                assertThat(isReplay(reply)).isEqualTo(i == 1);
            }
            assertThat(charges).hasValue(1);
        }
    }

    @Test
    void dispatchPastTheFilter_isAnError_andUnknown_orRunsAgain() throws Exception {
        for (String result : List.of("charged", "charged".repeat(20_000))) {
            for (Idempotency mode : MODES) {
                charges.set(0);
                try (Logged logged = new Logged(IdempotencyFilter.class);
                        TestApp app = TestApp.on(web)
                                .rule(mode)
                                .async()
                                .registeredFor(DispatcherType.REQUEST)
                                .serve(rendering(CompletableFuture.completedFuture(result)))) {
                    HttpResponse<byte[]> first = get(app.post("/").key("k").later());
                    assertThat(first.statusCode()).isEqualTo(500);
                    assertThat(text(first)).doesNotContain("charged");
                    HttpResponse<byte[]> again = settled(app);
                    assertThat(again.statusCode()).isEqualTo(mode.equals(FREEZE) ? 409 : 500);
                    assertThat(charges).hasValue(mode.equals(FREEZE) ? 1 : 2);
                    assertThat(logged.records())
                            .anyMatch(logs -> logs.getMessage().contains("for the dispatcher type ASYNC"));
                }
            }
        }
    }
}
