package dev.semel.http.servlet;

import static dev.semel.http.servlet.Responses.assertProblem;
import static dev.semel.http.servlet.Responses.isReplay;
import static dev.semel.http.servlet.Responses.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.http.Idempotency;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Time-outs of asynchronous requests. */
@Tag("jdk")
@ParameterizedClass
@EnumSource(Container.class)
class AsyncTimeOutTest extends AsyncHandlers {

    AsyncTimeOutTest(Container web) {
        super(web);
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
}
