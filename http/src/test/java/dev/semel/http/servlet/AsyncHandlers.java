package dev.semel.http.servlet;

import static dev.semel.http.servlet.Responses.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.http.Idempotency;
import dev.semel.store.IfAbandoned;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Handlers that complete their requests after they have returned. */
abstract class AsyncHandlers {

    static final Idempotency FREEZE = Idempotency.leased(IfAbandoned.FREEZE);
    static final Idempotency RERUN = Idempotency.leased(IfAbandoned.RERUN);
    static final List<Idempotency> MODES = List.of(FREEZE, RERUN);

    final Container web;
    final AtomicInteger charges = new AtomicInteger();
    final BlockingQueue<AsyncContext> started = new LinkedBlockingQueue<>();

    AsyncHandlers(Container web) {
        this.web = web;
    }

    /** Starts an asynchronous request and returns. */
    final TestApp.Handler charging = (request, response) -> {
        charges.incrementAndGet();
        AsyncContext context = request.startAsync();
        context.setTimeout(0);
        started.add(context);
    };

    AsyncContext next() throws InterruptedException {
        AsyncContext context = started.poll(30, TimeUnit.SECONDS);
        assertThat(context).isNotNull();
        return context;
    }

    static void write(AsyncContext context, String text) throws IOException {
        context.getResponse().getWriter().print(text);
    }

    TestApp serve(Idempotency rule, TestApp.Handler handler) throws Exception {
        charges.set(0);
        return TestApp.on(web).rule(rule).async().serve(handler);
    }

    static HttpResponse<byte[]> get(CompletableFuture<HttpResponse<byte[]>> reply) throws Exception {
        return reply.get(30, TimeUnit.SECONDS);
    }

    /** Whether a key is still in use, once the other thread has recorded how its request ended. */
    static HttpResponse<byte[]> settled(TestApp app) throws Exception {
        HttpResponse<byte[]> reply =
                app.post("/").key("k").header("Prefer", "wait=30").send();
        assertThat(text(reply)).doesNotContain("in_progress");
        return reply;
    }

    /** As frameworks do: the result is rendered in a dispatch to the same path. */
    TestApp.Handler rendering(CompletableFuture<String> result) {
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

    /** Does nothing when an event arrives. */
    static class Listener implements AsyncListener {

        @Override
        public void onStartAsync(AsyncEvent event) {}

        @Override
        public void onTimeout(AsyncEvent event) throws IOException {}

        @Override
        public void onError(AsyncEvent event) throws IOException {}

        @Override
        public void onComplete(AsyncEvent event) {}
    }
}
