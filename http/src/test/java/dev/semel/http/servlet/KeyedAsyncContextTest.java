package dev.semel.http.servlet;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.semel.http.CapturedBody;
import dev.semel.json.Fingerprint;
import dev.semel.memory.MemoryStore;
import dev.semel.once.Call;
import dev.semel.once.Lease;
import dev.semel.once.Once;
import dev.semel.once.Once.LeasedOperation;
import dev.semel.once.Outcome;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import dev.semel.store.Time;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.catalina.connector.ResponseFacade;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Races between a handler and a thread of the container that waits for it. */
class KeyedAsyncContextTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final CompletableFuture<Thread> dispatcher = new CompletableFuture<>();
    private final CompletableFuture<Thread> waiting = new CompletableFuture<>();
    private volatile Runnable onDispatch = () -> {};

    /** Returns an object that does nothing, except to note the threads of a dispatch and of a wait, which begins with the time-out, 0. */
    private <T> T fake(Class<T> type) {
        Object fake =
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().equals("dispatch")) {
                        onDispatch.run();
                        dispatcher.complete(Thread.currentThread());
                    } else if (method.getName().equals("getTimeout")) {
                        waiting.complete(Thread.currentThread());
                    }
                    return zero(method.getReturnType());
                });
        return type.cast(fake);
    }

    private static @Nullable Object zero(Class<?> type) {
        if (type == boolean.class) {
            return false;
        }
        if (type == int.class) {
            return 0;
        }
        return type == long.class ? (Object) 0L : null;
    }

    private static void leased(LeasedOperation operation) throws InterruptedException {
        try (MemoryStore store = new MemoryStore()) {
            Call call = Call.of(new IdempotencyKey("ann", "POST /", "k"), Fingerprint.ofBytes(new byte[0]));
            assertThat(Once.on(store).leased(call, IfAbandoned.RERUN, operation))
                    .isInstanceOf(Outcome.Executed.class);
        }
    }

    private KeyedAsyncContext context(Lease lease) {
        return context(lease, response());
    }

    private CapturedResponse response() {
        return new CapturedResponse(fake(HttpServletResponse.class), CapturedBody.NEVER, 0);
    }

    private KeyedAsyncContext context(Lease lease, CapturedResponse response) {
        AsyncRun run = new AsyncRun(response, lease, () -> () -> {});
        return new KeyedAsyncContext(run, fake(AsyncContext.class), fake(HttpServletRequest.class), response, true);
    }

    /** A response of Tomcat whose client has disconnected. */
    private static final class Disconnected extends HttpServletResponseWrapper {

        Disconnected() {
            super(new ResponseFacade(new org.apache.catalina.connector.Response(new org.apache.coyote.Response())));
        }

        @Override
        public ServletOutputStream getOutputStream() throws IOException {
            throw new IOException("The client has disconnected");
        }

        @Override
        public boolean isCommitted() {
            return true;
        }

        @Override
        public void setStatus(int status) {}

        @Override
        public @Nullable String getContentType() {
            return null;
        }
    }

    @Test
    void dispatchWhileTheContainerWaits_runsOnItsThread() throws Exception {
        leased(lease -> {
            CapturedResponse response = response();
            KeyedAsyncContext context = context(lease, response);
            response.disconnect();
            CompletableFuture<Void> waited = CompletableFuture.runAsync(
                    () -> {
                        context.awaitHandler(lease);
                        context.runPending();
                    },
                    Time.threads());
            Thread container = waiting.get(30, SECONDS);
            context.dispatch();
            waited.get(30, SECONDS);
            assertThat(dispatcher).isCompletedWithValue(container);
            return Response.of("done");
        });
    }

    @Test
    void dispatchBeforeTheContainerWaits_isNotWaitedFor() throws Exception {
        leased(lease -> {
            KeyedAsyncContext context = context(lease);
            context.dispatch();
            assertTimeoutPreemptively(LIMIT, () -> context.awaitHandler(lease));
            assertThat(dispatcher).isCompletedWithValue(Thread.currentThread());
            return Response.of("done");
        });
    }

    /** Tomcat is about to report the error on another thread, and loses a dispatch that comes before. */
    @Test
    void dispatchAfterAFailedWrite_waitsForTheContainersReport() throws Exception {
        leased(lease -> {
            CapturedResponse response = new CapturedResponse(new Disconnected(), 1 << 10, 1 << 10);
            KeyedAsyncContext context = context(lease, response);
            response.streamOnFlush(true);
            response.getOutputStream().write('a');
            response.getOutputStream().flush();
            context.dispatch();
            assertThat(dispatcher).isNotDone();
            assertThat(context.runPending()).isNull();
            assertThat(dispatcher).isDone();
            return Response.of("done");
        });
    }

    /** Tomcat rejects a dispatch of another thread when the first listener has been notified. */
    @Test
    void dispatchThatIsRejectedSinceTheReportHasBegun_isLeftToIt() throws Exception {
        leased(lease -> {
            CapturedResponse response = response();
            onDispatch = () -> {
                onDispatch = () -> {};
                response.disconnect();
                throw new IllegalStateException("The disconnect is reported");
            };
            KeyedAsyncContext context = context(lease, response);
            context.dispatch();
            assertThat(dispatcher).isNotDone();
            assertTimeoutPreemptively(LIMIT, () -> context.awaitHandler(lease));
            assertThat(context.runPending()).isNull();
            assertThat(dispatcher).isDone();
            return Response.of("done");
        });
    }

    @Test
    void dispatchThatIsRejectedOtherwise_canBeRepeated() throws Exception {
        leased(lease -> {
            onDispatch = () -> {
                onDispatch = () -> {};
                throw new IllegalStateException("The context has stopped");
            };
            KeyedAsyncContext context = context(lease);
            assertThatThrownBy(context::dispatch).isInstanceOf(IllegalStateException.class);
            context.dispatch();
            assertThat(dispatcher).isDone();
            return Response.of("done");
        });
    }

    @Test
    void dispatchThatIsLost_doesNotBeginAnyMore() throws Exception {
        leased(lease -> {
            KeyedAsyncContext context = context(lease);
            assertThat(context.lose()).isFalse();
            context.dispatch();
            assertThat(context.lose()).isTrue();
            assertThat(context.begin()).isFalse();
            return Response.of("done");
        });
    }

    @Test
    void dispatchThatHasBegun_isNotLost() throws Exception {
        leased(lease -> {
            KeyedAsyncContext context = context(lease);
            context.dispatch();
            assertThat(context.begin()).isTrue();
            assertThat(context.lose()).isFalse();
            return Response.of("done");
        });
    }
}
