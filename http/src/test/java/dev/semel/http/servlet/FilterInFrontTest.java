package dev.semel.http.servlet;

import static dev.semel.http.servlet.Responses.assertProblem;
import static dev.semel.http.servlet.Responses.isReplay;
import static dev.semel.http.servlet.Responses.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.http.Idempotency;
import dev.semel.store.Time;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Filters in front that suspend or forward requests. */
@Tag("jdk")
@ParameterizedClass
@EnumSource(Container.class)
class FilterInFrontTest extends AsyncHandlers {

    FilterInFrontTest(Container web) {
        super(web);
    }

    private TestApp.Builder registered(Idempotency rule) {
        charges.set(0);
        return TestApp.on(web).rule(rule).async().registered();
    }

    /** Suspends a request, and dispatches it again from another thread. */
    private static void suspend(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request.getDispatcherType() == DispatcherType.REQUEST) {
            AsyncContext context = request.startAsync();
            context.setTimeout(0);
            Time.threads().execute(context::dispatch);
        } else {
            chain.doFilter(request, response);
        }
    }

    private static void forward(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request.getDispatcherType() == DispatcherType.REQUEST) {
            request.getRequestDispatcher("/forwarded").forward(request, response);
        } else {
            chain.doFilter(request, response);
        }
    }

    /** Receives a first response that is not sent. */
    private static final class Unsent extends HttpServletResponseWrapper {

        Unsent(ServletResponse response) {
            super((HttpServletResponse) response);
        }

        @Override
        public ServletOutputStream getOutputStream() {
            return new ServletOutputStream() {
                @Override
                public void write(int b) {}

                @Override
                public boolean isReady() {
                    return true;
                }

                @Override
                public void setWriteListener(WriteListener listener) {}
            };
        }

        @Override
        public void setContentLength(int length) {}

        @Override
        public void setStatus(int status) {}

        @Override
        public void setHeader(String name, String value) {}
    }

    /** Discards the first response, and dispatches the request again. */
    private static void tryTwice(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request.getDispatcherType() != DispatcherType.REQUEST) {
            chain.doFilter(request, response);
            return;
        }
        chain.doFilter(request, new Unsent(response));
        AsyncContext context = request.startAsync();
        context.setTimeout(0);
        context.dispatch();
    }

    private void assertOneEffect(Filter inFront, Idempotency mode, TestApp.Handler handler) throws Exception {
        try (TestApp app = registered(mode).inFront(inFront).serve(handler)) {
            for (int i = 0; i < 3; i++) {
                HttpResponse<byte[]> reply =
                        get(app.post("/").key("k").body("hello").later());
                assertThat(text(reply)).isEqualTo("charged hello");
                assertThat(reply.statusCode()).isEqualTo(201);
                assertThat(isReplay(reply)).isEqualTo(i > 0);
                assertThat(charges).hasValue(1);
            }
            HttpResponse<byte[]> other =
                    get(app.post("/").key("k").body("other").later());
            assertProblem(other, 422, "payload_mismatch", "Idempotency key reused with different payload");
        }
    }

    private void respond(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String body = request.getReader().readLine();
        IdempotencyFilter.transactionIfAny(request).ifPresent(Counter::increment);
        response.setStatus(201);
        response.getWriter().print("charged " + body);
    }

    @Test
    void requestThatIsSuspendedOrForwardedInFront_hasOneEffect() throws Exception {
        for (Filter inFront : List.<Filter>of(FilterInFrontTest::suspend, FilterInFrontTest::forward)) {
            for (Idempotency mode : List.of(Idempotency.atomic(), FREEZE, RERUN)) {
                assertOneEffect(inFront, mode, (request, response) -> {
                    charges.incrementAndGet();
                    respond(request, response);
                });
            }
        }
    }

    @Test
    void requestThatIsSuspendedOrForwardedInFront_canBeAsynchronous() throws Exception {
        for (Filter inFront : List.<Filter>of(FilterInFrontTest::suspend, FilterInFrontTest::forward)) {
            for (Idempotency mode : MODES) {
                for (boolean dispatch : new boolean[] {false, true}) {
                    assertOneEffect(inFront, mode, (request, response) -> {
                        if (request.getAttribute("started") != null) {
                            respond(request, response);
                            return;
                        }
                        request.setAttribute("started", true);
                        charges.incrementAndGet();
                        AsyncContext context = request.startAsync(request, response);
                        context.setTimeout(0);
                        Time.threads().execute(() -> {
                            if (dispatch) {
                                context.dispatch();
                                return;
                            }
                            try {
                                respond(request, response);
                            } catch (IOException e) {
                                throw new AssertionError(e);
                            }
                            context.complete();
                        });
                    });
                }
            }
        }
    }

    @Test
    void requestThatIsDispatchedAgainAfterItsResponse_isARetry() throws Exception {
        for (Idempotency mode : List.of(Idempotency.atomic(), FREEZE, RERUN)) {
            try (TestApp app = registered(mode)
                    .inFront(FilterInFrontTest::tryTwice)
                    .serve((request, response) -> {
                        charges.incrementAndGet();
                        respond(request, response);
                    })) {
                for (int i = 0; i < 2; i++) {
                    HttpResponse<byte[]> reply =
                            app.post("/").key("k").body("hello").send();
                    assertThat(reply.statusCode()).isEqualTo(201);
                    assertThat(text(reply)).isEqualTo("charged hello");
                    assertThat(isReplay(reply)).isTrue();
                }
                HttpResponse<byte[]> other =
                        app.post("/").key("k").body("other").send();
                assertProblem(other, 422, "payload_mismatch", "Idempotency key reused with different payload");
                HttpResponse<byte[]> malformed =
                        app.post("/").key("no key").body("hello").send();
                assertThat(malformed.statusCode()).isEqualTo(400);
                assertThat(charges).hasValue(1);
            }
        }
    }

    /** As frameworks do to render an error page. */
    @Test
    void forwardToAnotherPathAfterTheResponse_isPassedOn() throws Exception {
        try (TestApp app = registered(FREEZE)
                .inFront((request, response, chain) -> {
                    if (request.getDispatcherType() == DispatcherType.REQUEST) {
                        chain.doFilter(request, new Unsent(response));
                        request.getRequestDispatcher("/page").forward(request, response);
                    } else {
                        chain.doFilter(request, response);
                    }
                })
                .serve((request, response) -> {
                    if (request.getRequestURI().equals("/page")) {
                        response.getWriter().print("page");
                    } else {
                        charges.incrementAndGet();
                    }
                })) {
            for (int i = 0; i < 2; i++) {
                assertThat(text(app.post("/").key("k").body("hello").send())).isEqualTo("page");
            }
            assertThat(charges).hasValue(1);
        }
    }

    @Test
    void forwardOfAKeyedRequest_isNotKeyedAgain() throws Exception {
        for (Idempotency mode : List.of(Idempotency.atomic(), FREEZE)) {
            try (TestApp app = registered(mode).serve((request, response) -> {
                if (request.getRequestURI().equals("/from")) {
                    request.getRequestDispatcher("/to").forward(request, response);
                } else {
                    charges.incrementAndGet();
                    respond(request, response);
                }
            })) {
                for (int i = 0; i < 2; i++) {
                    HttpResponse<byte[]> reply =
                            app.post("/from").key("k").body("hello").send();
                    assertThat(text(reply)).isEqualTo("charged hello");
                    assertThat(isReplay(reply)).isEqualTo(i == 1);
                }
                assertThat(charges).hasValue(1);
                assertThat(isReplay(app.post("/to").key("k").body("hello").send()))
                        .isFalse();
            }
        }
    }

    /** The rule of the first dispatch applies to all of them. */
    @Test
    void dispatchOfARequestThatIsNotKeyed_isPassedOn() throws Exception {
        TestApp.Handler handler = (request, response) -> {
            if (!request.getRequestURI().startsWith("/from")) {
                respond(request, response);
            } else if (request.getRequestURI().equals("/from/forward")) {
                request.getRequestDispatcher("/to").forward(request, response);
            } else {
                request.startAsync().dispatch("/to");
            }
        };
        try (TestApp app = registered(FREEZE)
                .rules(request -> request.getRequestURI().startsWith("/from") ? Idempotency.NONE : FREEZE.withKey())
                .serve(handler)) {
            for (String path : List.of("/from/forward", "/from/async")) {
                HttpResponse<byte[]> reply = app.post(path).body("hello").send();
                assertThat(text(reply)).isEqualTo("charged hello");
            }
            assertThat(app.post("/to").body("hello").send().statusCode()).isEqualTo(400);
        }
    }
}
