package dev.semel.http.servlet;

import static dev.semel.http.servlet.Responses.assertProblem;
import static dev.semel.http.servlet.Responses.header;
import static dev.semel.http.servlet.Responses.isReplay;
import static dev.semel.http.servlet.Responses.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.http.Idempotency;
import dev.semel.once.OnceSettings;
import dev.semel.store.Time;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Handlers that complete or dispatch their requests after they have returned. */
@Tag("jdk")
@ParameterizedClass
@EnumSource(Container.class)
class AsyncTest extends AsyncHandlers {

    AsyncTest(Container web) {
        super(web);
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
    void requestWithoutAKey_isPassedOn() throws Exception {
        CompletableFuture<String> result = CompletableFuture.completedFuture("charged");
        try (TestApp app = serve(FREEZE, rendering(result))) {
            assertThat(text(app.post("/").send())).isEqualTo("charged");
            assertThat(text(app.post("/").send())).isEqualTo("charged");
            assertThat(charges).hasValue(2);
        }
    }
}
