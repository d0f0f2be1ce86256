package dev.semel.server.web;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Interleavings of checks and requests that cannot be produced over a port. */
@Tag("jdk")
class SlowClientsTest {

    private final SlowClients slowClients = new SlowClients(Duration.ofMillis(1));
    private final ScheduledExecutorScheduler scheduler = new ScheduledExecutorScheduler();

    @BeforeEach
    void watch() throws Exception {
        scheduler.start();
        slowClients.watch(scheduler);
    }

    @AfterEach
    void stop() throws Exception {
        scheduler.stop();
    }

    @SuppressWarnings("unchecked")
    private static <T> T like(Class<T> kind, InvocationHandler answers, Class<?>... more) {
        Class<?>[] kinds = new Class<?>[more.length + 1];
        kinds[0] = kind;
        System.arraycopy(more, 0, kinds, 1, more.length);
        return (T) Proxy.newProxyInstance(kind.getClassLoader(), kinds, answers);
    }

    private static Connection connection(InvocationHandler answers) {
        return like(
                Connection.class,
                (self, method, arguments) -> switch (method.getName()) {
                    case "hashCode" -> System.identityHashCode(self);
                    case "equals" -> self == arguments[0];
                    default -> answers.invoke(self, method, arguments);
                },
                ConnectionMetaData.class);
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void connectionThatCannotBeChecked_keepsNoOtherFromBeingDisconnected() throws Exception {
        CountDownLatch lookedAt = new CountDownLatch(60);
        for (int i = 0; i < 20; i++) { // so many that they are checked before the other one
            slowClients.onOpened(connection((self, method, arguments) -> {
                lookedAt.countDown();
                throw new IllegalStateException("broken");
            }));
        }
        await(lookedAt);
        CountDownLatch closed = new CountDownLatch(1);
        EndPoint endPoint = like(EndPoint.class, (self, method, arguments) -> {
            closed.countDown();
            return null;
        });
        slowClients.onOpened(connection(
                (self, method, arguments) -> method.getName().equals("getBytesIn") ? (Object) 1L : endPoint));
        await(closed);
    }

    /** Jetty reuses the response for the next request of a connection, and throws if it is accessed in between. */
    @Test
    void endedResponse_isNotCheckedAnyMore() throws Exception {
        Connection connection = connection((self, method, arguments) -> -1L);
        slowClients.onOpened(connection);
        AtomicReference<Object> attribute = new AtomicReference<>();
        Request request = like(Request.class, (self, method, arguments) -> switch (method.getName()) {
            case "getConnectionMetaData" -> like(ConnectionMetaData.class, (meta, asked, none) -> connection);
            case "setAttribute" -> attribute.getAndSet(arguments[1]);
            default -> null;
        });
        slowClients.customize(request, HttpFields.build());

        CountDownLatch looking = new CountDownLatch(1);
        CountDownLatch left = new CountDownLatch(1);
        AtomicBoolean leftMeanwhile = new AtomicBoolean();
        HttpServletResponse response = like(HttpServletResponse.class, (self, method, arguments) -> {
            looking.countDown();
            leftMeanwhile.compareAndSet(false, left.await(200, TimeUnit.MILLISECONDS));
            return false;
        });
        slowClients.doFilter(
                like(HttpServletRequest.class, (self, method, arguments) -> attribute.get()),
                response,
                (servletRequest, servletResponse) -> {
                    try {
                        await(looking);
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                });
        left.countDown();
        CountDownLatch lookedAgain = new CountDownLatch(2);
        slowClients.onOpened(connection((self, method, arguments) -> {
            lookedAgain.countDown();
            return -1L;
        }));
        await(lookedAgain);
        assertThat(leftMeanwhile).isFalse();
    }
}
