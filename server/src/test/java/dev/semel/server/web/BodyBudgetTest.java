package dev.semel.server.web;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A budget for one large body, in front of a servlet that makes some requests wait. */
@Tag("jdk")
class BodyBudgetTest {

    private static final byte[] LARGE = new byte[Api.MOST_BYTES];

    private final HttpClient client = HttpClient.newHttpClient();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final Server server = new Server();
    private final ServerConnector connector = new ServerConnector(server);

    @BeforeEach
    void start() throws Exception {
        ServletContextHandler context = new ServletContextHandler("/");
        context.addFilter(new FilterHolder(new BodyBudget(0, Duration.ZERO)), "/*", EnumSet.of(DispatcherType.REQUEST));
        context.addServlet(new ServletHolder(new Waiting()), "/");
        connector.setHost(InetAddress.getLoopbackAddress().getHostAddress());
        server.addConnector(connector);
        server.setHandler(context);
        server.start();
    }

    @AfterEach
    void stop() throws Exception {
        server.stop();
    }

    private final class Waiting extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            request.getInputStream().readAllBytes();
            if (request.getRequestURI().equals("/wait")) {
                begun.countDown();
                await(mayEnd);
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private CompletableFuture<HttpResponse<String>> post(String path, BodyPublisher body) {
        URI uri = URI.create("http://" + connector.getHost() + ":" + connector.getLocalPort() + path);
        return client.sendAsync(HttpRequest.newBuilder(uri).POST(body).build(), BodyHandlers.ofString());
    }

    /** Returns the response that is sent before any of the body, until the connection is closed. */
    private String answerWithoutBody(String header) throws IOException {
        try (Socket socket = new Socket(connector.getHost(), connector.getLocalPort())) {
            socket.getOutputStream()
                    .write(("POST / HTTP/1.1\r\nHost: localhost\r\n" + header + "\r\n\r\n").getBytes(US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), US_ASCII);
        }
    }

    @Test
    void largeBody_waitsForItsBudget() throws Exception {
        CompletableFuture<HttpResponse<String>> first = post("/wait", BodyPublishers.ofByteArray(LARGE));
        await(begun);
        assertThat(answerWithoutBody("Content-Length: " + LARGE.length))
                .startsWith("HTTP/1.1 503 ")
                .contains("\"code\":\"busy\"", "Retry-After: 1\r\n", "Connection: close\r\n");
        assertThat(answerWithoutBody("Transfer-Encoding: chunked")).startsWith("HTTP/1.1 503 ");
        BodyPublisher ofUnknownLength = BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(new byte[1]));
        assertThat(post("/", BodyPublishers.ofByteArray(new byte[4000])).get().statusCode())
                .isEqualTo(200);
        mayEnd.countDown();
        assertThat(first.get().statusCode()).isEqualTo(200);
        assertThat(post("/", BodyPublishers.ofByteArray(LARGE)).get().statusCode())
                .isEqualTo(200);
        assertThat(post("/", ofUnknownLength).get().statusCode()).isEqualTo(200);
    }
}
