package dev.semel.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.http.Idempotency;
import dev.semel.memory.MemoryStore;
import dev.semel.once.Once;
import dev.semel.store.IfAbandoned;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.Test;

/** Applications with several idempotency filters. */
class RegistrationTest {

    private static IdempotencyFilter on(MemoryStore store) {
        return new IdempotencyFilter(Once.on(store), request -> "ann", request -> Idempotency.atomic());
    }

    private static void start(List<IdempotencyFilter> filters, String... patterns) throws Exception {
        Server server = new Server();
        ServletContextHandler context = new ServletContextHandler();
        for (int i = 0; i < patterns.length; i++) {
            context.addFilter(new FilterHolder(filters.get(i)), patterns[i], null);
        }
        server.setHandler(context);
        try {
            server.start();
            server.stop();
            server.start(); // filters of the first start are gone
        } finally {
            server.stop();
        }
    }

    private static void startWithTwoStores(String... patterns) throws Exception {
        List<MemoryStore> stores = List.of(new MemoryStore(), new MemoryStore());
        try {
            List<IdempotencyFilter> filters = new ArrayList<>();
            stores.forEach(store -> filters.add(on(store)));
            start(filters, patterns);
        } finally {
            stores.forEach(MemoryStore::close);
        }
    }

    @Test
    void filtersWithDifferentStoresForTheSameRequests_areRejectedAtStart() {
        List<List<String>> overlapping = List.of(
                List.of("/*", "/*"),
                List.of("/*", "/orders"),
                List.of("/orders/*", "/orders"),
                List.of("/orders/1", "/orders/*"),
                List.of("/orders/*", "/orders/1/*"),
                List.of("*.do", "/orders/*"));
        for (List<String> patterns : overlapping) {
            assertThatThrownBy(() -> startWithTwoStores(patterns.toArray(String[]::new)))
                    .as(patterns.toString())
                    .hasStackTraceContaining("have different stores and match the same requests")
                    .hasStackTraceContaining(patterns.get(1));
        }
    }

    @Test
    void filtersWithDifferentStoresForDifferentRequests_start() {
        for (List<String> patterns : List.of(
                List.of("/orders/*", "/payments/*"),
                List.of("/orders/*", "/orders2/*"),
                List.of("/orders", "/orders/1"))) {
            assertThatCode(() -> startWithTwoStores(patterns.toArray(String[]::new)))
                    .as(patterns.toString())
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void filtersWithTheSameStore_start() throws Exception {
        try (MemoryStore store = new MemoryStore()) {
            start(List.of(on(store), on(store)), "/*", "/*");
        }
    }

    @Test
    void filterThatIsRegistered_takesPartInAsynchronousRequests() throws Exception {
        AtomicInteger charges = new AtomicInteger();
        HttpServlet servlet = new HttpServlet() {
            private static final long serialVersionUID = 1L;

            @Override
            protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
                if (request.getDispatcherType() == DispatcherType.ASYNC) {
                    response.getWriter().print("charged " + charges.incrementAndGet());
                } else {
                    request.startAsync().dispatch();
                }
            }
        };
        MemoryStore store = new MemoryStore();
        IdempotencyFilter filter = new IdempotencyFilter(
                Once.on(store), request -> "ann", request -> Idempotency.leased(IfAbandoned.FREEZE));
        Server server = new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        ServletContextHandler context = new ServletContextHandler();
        ServletHolder holder = new ServletHolder(servlet);
        holder.setAsyncSupported(true);
        context.addServlet(holder, "/*");
        context.addServletContainerInitializer((types, web) -> {
            filter.register(web, "idempotency", "/*");
            assertThatThrownBy(() -> filter.register(web, "idempotency", "/*"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("idempotency");
        });
        server.setHandler(context);
        server.start();
        try {
            HttpClient client = HttpClient.newHttpClient();
            for (int i = 0; i < 2; i++) {
                HttpRequest request = HttpRequest.newBuilder(server.getURI())
                        .header("Idempotency-Key", "k")
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build();
                assertThat(client.send(request, HttpResponse.BodyHandlers.ofString())
                                .body())
                        .isEqualTo("charged 1");
            }
        } finally {
            server.stop();
            store.close();
        }
    }
}
