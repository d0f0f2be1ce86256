package dev.semel.http.servlet;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.semel.http.FilterSettings;
import dev.semel.http.Idempotency;
import dev.semel.http.Tracing;
import dev.semel.memory.MemoryStore;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.store.spi.DocumentStore;
import dev.semel.testkit.ControlledTime;
import dev.semel.testkit.FaultyStore;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContainerInitializer;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A web application with the filter, a faulty store and a controlled clock; and a client for it. */
final class TestApp implements AutoCloseable {

    final ControlledTime time = new ControlledTime();
    final FaultyStore store;
    final OnceSettings once;
    private final Container.Running web;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(30))
            .build();

    @FunctionalInterface
    interface Handler {
        void handle(HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException;
    }

    static final class Builder {
        private final Container web;
        private Function<HttpServletRequest, Idempotency> rules = request -> Idempotency.atomic();
        private OnceSettings once = OnceSettings.DEFAULTS;
        private FilterSettings settings = FilterSettings.DEFAULTS;
        private Tracing tracing = Tracing.NONE;
        private final List<Filter> inFront = new ArrayList<>();
        private final List<Filter> behind = new ArrayList<>();
        private boolean multipart;
        private boolean async;
        private @Nullable DocumentStore store;
        private @Nullable BiConsumer<IdempotencyFilter, ServletContext> registration;

        private Builder(Container web) {
            this.web = web;
        }

        Builder rule(Idempotency rule) {
            return rules(request -> rule);
        }

        Builder rules(Function<HttpServletRequest, Idempotency> rules) {
            this.rules = rules;
            return this;
        }

        /** Registers the filter as the documentation does, instead of for all dispatcher types. */
        Builder registered() {
            this.registration = (filter, context) -> filter.register(context, "idempotency", "/*");
            return this;
        }

        Builder registeredFor(DispatcherType type) {
            this.registration = (filter, context) -> {
                FilterRegistration.Dynamic dynamic = context.addFilter("idempotency", filter);
                dynamic.setAsyncSupported(true);
                dynamic.addMappingForUrlPatterns(EnumSet.of(type), true, "/*");
            };
            return this;
        }

        Builder once(OnceSettings once) {
            this.once = once;
            return this;
        }

        Builder settings(FilterSettings settings) {
            this.settings = settings;
            return this;
        }

        Builder tracing(Tracing tracing) {
            this.tracing = tracing;
            return this;
        }

        Builder inFront(Filter filter) {
            inFront.add(filter);
            return this;
        }

        /** Lets the servlet parse multipart bodies. */
        Builder multipart() {
            this.multipart = true;
            return this;
        }

        /** Lets filters and servlet take part in asynchronous requests. */
        Builder async() {
            this.async = true;
            return this;
        }

        Builder behind(Filter filter) {
            behind.add(filter);
            return this;
        }

        /** Shares a store with another application. */
        Builder on(DocumentStore store) {
            this.store = store;
            return this;
        }

        TestApp serve(Handler handler) throws Exception {
            return new TestApp(this, handler);
        }
    }

    static Builder on(Container web) {
        return new Builder(web);
    }

    private TestApp(Builder with, Handler handler) throws Exception {
        this.store = new FaultyStore(with.store == null ? new MemoryStore(time, 64 << 20) : with.store);
        this.once = with.once;
        Once engine = new Once(store, time, with.once, OnceListener.NONE);
        List<Filter> filters = new ArrayList<>(with.inFront);
        IdempotencyFilter filter = new IdempotencyFilter(
                engine, request -> request.getHeader("X-User"), with.rules, with.settings, with.tracing);
        BiConsumer<IdempotencyFilter, ServletContext> registration = with.registration;
        if (registration == null) {
            filters.add(filter);
        }
        filters.addAll(with.behind);
        ServletContainerInitializer initializer = (types, context) -> {
            if (registration != null) {
                registration.accept(filter, context);
            }
        };
        HttpServlet servlet = new HttpServlet() {
            private static final long serialVersionUID = 1L;

            @Override
            protected void service(HttpServletRequest request, HttpServletResponse response)
                    throws IOException, ServletException {
                handler.handle(request, response);
            }
        };
        this.web = with.web.start(new Container.Application(filters, with.multipart, with.async, servlet, initializer));
    }

    RequestBuilder ask(String method, String path) {
        return new RequestBuilder(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + web.port() + path))
                .timeout(Duration.ofSeconds(60))
                .header("X-User", "ann")
                .method(method, BodyPublishers.noBody()));
    }

    RequestBuilder post(String path) {
        return ask("POST", path);
    }

    final class RequestBuilder {
        private final HttpRequest.Builder request;
        private String method = "POST";

        private RequestBuilder(HttpRequest.Builder request) {
            this.request = request;
            this.method = request.build().method();
        }

        RequestBuilder key(String key) {
            return header("Idempotency-Key", key);
        }

        RequestBuilder header(String name, String value) {
            request.header(name, value);
            return this;
        }

        RequestBuilder json(String body) {
            return header("Content-Type", "application/json").body(body);
        }

        RequestBuilder body(String body) {
            return body(BodyPublishers.ofString(body));
        }

        RequestBuilder body(HttpRequest.BodyPublisher body) {
            request.method(method, body);
            return this;
        }

        RequestBuilder user(@Nullable String user) {
            request.setHeader("X-User", user == null ? "" : user);
            return this;
        }

        HttpResponse<byte[]> send() throws IOException, InterruptedException {
            return client.send(request.build(), BodyHandlers.ofByteArray());
        }

        HttpResponse<InputStream> open() throws IOException, InterruptedException {
            return client.send(request.build(), BodyHandlers.ofInputStream());
        }

        CompletableFuture<HttpResponse<byte[]>> later() {
            return client.sendAsync(request.build(), BodyHandlers.ofByteArray());
        }
    }

    /** Waits until Tomcat has left all requests to their handlers: it may still be in a dispatch whose filters have returned. */
    void awaitIdle() {
        assertTimeoutPreemptively(Duration.ofSeconds(30), () -> {
            while (!web.isIdle().getAsBoolean()) {
                Thread.onSpinWait();
            }
        });
    }

    /** Sends bytes, and returns everything that the server sends until it closes the connection. */
    String raw(String text) throws IOException {
        try (Socket socket = connect()) {
            send(socket, text);
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    /** Returns what the server sends, up to and including the given words. */
    static String replyUpTo(String words, Socket socket) throws IOException {
        StringBuilder reply = new StringBuilder();
        while (reply.indexOf(words) < 0) {
            int next = socket.getInputStream().read();
            if (next < 0) {
                throw new IOException("No " + words + " in: " + reply);
            }
            reply.append((char) next);
        }
        return reply.toString();
    }

    Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), web.port());
        socket.setSoTimeout(30_000);
        return socket;
    }

    static void send(Socket socket, String text) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    @Override
    public void close() {
        web.close();
        store.close();
    }
}
