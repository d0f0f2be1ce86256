package dev.semel.http.servlet;

import static dev.semel.http.servlet.Responses.header;
import static dev.semel.http.servlet.Responses.isReplay;
import static dev.semel.http.servlet.Responses.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.http.Idempotency;
import dev.semel.store.IfAbandoned;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Handlers that forward to other resources, or include them. */
@ParameterizedClass
@EnumSource(Container.class)
class DispatchTest {

    private static final List<Idempotency> MODES =
            List.of(Idempotency.atomic(), Idempotency.leased(IfAbandoned.FREEZE));

    private final Container web;
    private final AtomicInteger runs = new AtomicInteger();

    DispatchTest(Container web) {
        this.web = web;
    }

    /** Sends a request without a key and one with a key, and asserts that the responses are equal, and that a retry replays. */
    private HttpResponse<byte[]> assertSameWithKey(TestApp.Handler handler) throws Exception {
        List<HttpResponse<byte[]>> replies = new ArrayList<>();
        for (Idempotency mode : MODES) {
            try (TestApp app = TestApp.on(web).rule(mode).serve(handler)) {
                HttpResponse<byte[]> without = app.post("/from?a=1").send();
                runs.set(0);
                HttpResponse<byte[]> first = app.post("/from?a=1").key("k").send();
                replies.add(first);
                assertThat(text(first)).isEqualTo(text(without));
                assertThat(first.statusCode()).isEqualTo(without.statusCode());
                assertThat(header(first, "Content-Type")).isEqualToIgnoringCase(header(without, "Content-Type"));
                assertThat(header(first, "Set-Cookie")).isEqualTo(header(without, "Set-Cookie"));
                HttpResponse<byte[]> again = app.post("/from?a=1").key("k").send();
                assertThat(text(again)).isEqualTo(text(first));
                assertThat(isReplay(again)).isTrue();
                assertThat(runs).hasValue(1);
            }
        }
        return replies.get(0);
    }

    @Test
    void forwardedRequest_isHandledByTheTarget() throws Exception {
        HttpResponse<byte[]> reply = assertSameWithKey((request, response) -> {
            if (request.getRequestURI().equals("/from")) {
                request.getRequestDispatcher("/to?b=2").forward(request, response);
                response.getWriter().print("too late");
            } else {
                runs.incrementAndGet();
                IdempotencyFilter.transactionIfAny(request).ifPresent(Counter::increment);
                response.setStatus(201);
                response.getWriter().print("forwarded with " + request.getParameter("a") + request.getParameter("b"));
            }
        });
        assertThat(reply.statusCode()).isEqualTo(201);
        assertThat(text(reply)).isEqualTo("forwarded with 12");
    }

    @Test
    void includedResource_writesIntoTheResponse() throws Exception {
        HttpResponse<byte[]> reply = assertSameWithKey((request, response) -> {
            if (request.getAttribute(RequestDispatcher.INCLUDE_REQUEST_URI) != null) {
                changeHead(response);
                response.getWriter().print("included with " + request.getParameter("a") + request.getParameter("b"));
                return;
            }
            runs.incrementAndGet();
            IdempotencyFilter.transactionIfAny(request).ifPresent(Counter::increment);
            response.setContentType("text/plain;charset=UTF-8");
            response.getWriter().print("<" + request.getParameter("b"));
            request.getRequestDispatcher("/header?b=2").include(request, response);
            response.getWriter().print("|");
            request.getRequestDispatcher("/footer?b=3").include(request, response);
            response.getWriter().print(">");
            response.setHeader("X-Mine", "set after the include");
        });
        assertThat(text(reply)).isEqualTo("<nullincluded with 12|included with 13>");
        assertThat(reply.statusCode()).isEqualTo(200);
        assertThat(header(reply, "X-Mine")).isEqualTo("set after the include");
        assertThat(header(reply, "ETag")).isEmpty();
        assertThat(header(reply, "Content-Language")).isEmpty();
    }

    private static void changeHead(HttpServletResponse response) {
        response.setStatus(500);
        response.setContentType("text/html");
        response.setCharacterEncoding("UTF-16");
        response.setLocale(Locale.FRENCH);
        response.setHeader("ETag", "\"1\"");
        response.addHeader("ETag", "\"2\"");
        response.addCookie(new Cookie("a", "b"));
        response.setContentLength(1);
    }

    @Test
    void wrappedRequestAndResponse_canBeIncludedAndForwarded() throws Exception {
        HttpResponse<byte[]> reply = assertSameWithKey((request, response) -> {
            HttpServletRequest wrapped = new HttpServletRequestWrapper(request);
            HttpServletResponse wrapping = new HttpServletResponseWrapper(response);
            switch (request.getDispatcherType()) {
                case REQUEST -> {
                    runs.incrementAndGet();
                    IdempotencyFilter.transactionIfAny(request).ifPresent(Counter::increment);
                    request.getServletContext().getRequestDispatcher("/to").forward(wrapped, wrapping);
                }
                case FORWARD -> {
                    response.getWriter().print("forwarded and ");
                    request.getRequestDispatcher("/part").include(wrapped, wrapping);
                }
                default -> response.getWriter().print("included");
            }
        });
        assertThat(text(reply)).isEqualTo("forwarded and included");
    }

    @Test
    void exceptionOfAnIncludedResource_leavesTheNextRunUnchanged() throws Exception {
        for (Idempotency mode : MODES) {
            runs.set(0);
            try (TestApp app = TestApp.on(web).rule(mode).serve((request, response) -> {
                if (request.getRequestURI().equals("/errors")) {
                    return;
                }
                if (request.getAttribute(RequestDispatcher.INCLUDE_REQUEST_URI) == null) {
                    response.setHeader("X-Run", "" + runs.incrementAndGet());
                    request.getRequestDispatcher("/part").include(request, response);
                } else if (runs.get() == 1) {
                    throw new IllegalStateException("the first run fails");
                }
            })) {
                assertThat(app.post("/").key("k").send().statusCode()).isEqualTo(500);
                assertThat(header(app.post("/").key("k").send(), "X-Run")).isEqualTo("2");
            }
        }
    }
}
