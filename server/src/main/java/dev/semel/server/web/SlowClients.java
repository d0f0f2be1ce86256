package dev.semel.server.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Scheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Disconnects clients that send the head of a request, or read the response, too slowly. An idle timeout does not find them: they are never
 * silent for long.
 *
 * <p>A head has to be there in time, the first one counted from the moment the connection is made, TLS included, and each later one
 * from its first byte. A response has to be read in time as long as it holds a thread.
 */
public final class SlowClients extends HttpFilter implements Connection.Listener, HttpConfiguration.Customizer {

    private static final long serialVersionUID = 1L;
    private static final String ATTRIBUTE = Watched.class.getName();
    private static final Logger LOG = LoggerFactory.getLogger(SlowClients.class);

    private final long timeoutNanos;
    private final long intervalMillis;
    private final transient Map<Connection, Watched> watched = new ConcurrentHashMap<>();

    public SlowClients(Duration timeout) {
        this.timeoutNanos = timeout.toNanos();
        this.intervalMillis = Math.min(1000, Math.max(10, timeout.toMillis() / 4));
    }

    /** What is known of a connection. Changed by whoever serves it, one after the other, and looked at by another. */
    private static final class Watched {

        private final Connection connection;
        private volatile boolean served;
        private boolean holdsThread;
        private volatile long bytesInBefore = -1; // so that nothing is waited for before the first head is
        private BooleanSupplier responding = () -> false;
        private volatile long since;

        Watched(Connection connection, long now) {
            this.connection = connection;
            this.since = now;
        }

        void started() {
            served = true;
        }

        void ended() {
            bytesInBefore = connection.getBytesIn();
            since = 0;
            served = false;
        }

        synchronized void entered(BooleanSupplier isResponding) {
            responding = isResponding;
            since = 0;
            holdsThread = true;
        }

        /** From here on the response may be somebody else's, and is looked at no more: not even by who was about to. */
        synchronized void left() {
            holdsThread = false;
            responding = () -> false;
        }

        /** Whether it is in the middle of something that the client makes slow. */
        private boolean isWaiting() {
            return served ? holdsThread && responding.getAsBoolean() : connection.getBytesIn() > bytesInBefore;
        }

        synchronized boolean isTooSlow(long now, long timeout) {
            if (!isWaiting()) {
                since = 0;
            } else if (since == 0) {
                since = now;
            }
            return since != 0 && now - since > timeout;
        }
    }

    /** Looks from now on, again and again. */
    public void watch(Scheduler scheduler) {
        scheduler.schedule(
                () -> {
                    try {
                        checkAll();
                    } finally {
                        if (scheduler.isRunning()) {
                            watch(scheduler);
                        }
                    }
                },
                intervalMillis,
                TimeUnit.MILLISECONDS);
    }

    private void checkAll() {
        long now = System.nanoTime();
        for (Watched one : watched.values()) {
            try {
                if (one.isTooSlow(now, timeoutNanos)) {
                    disconnect(one.connection);
                }
            } catch (RuntimeException e) { // one that cannot be looked at must not keep the others from being
                LOG.atError().setCause(e).log("A client could not be watched");
            }
        }
    }

    private static void disconnect(Connection connection) {
        LOG.atInfo().log("Disconnected a slow client");
        EndPoint endPoint = connection.getEndPoint();
        // without a close message, which might wait for the client again
        (endPoint instanceof EndPoint.Wrapper wrapper ? wrapper.unwrap() : endPoint).close();
    }

    @Override
    public void onOpened(Connection connection) {
        if (connection instanceof ConnectionMetaData) { // else it is the TLS below it
            watched.put(connection, new Watched(connection, System.nanoTime()));
        }
    }

    @Override
    public void onClosed(Connection connection) {
        watched.remove(connection);
    }

    /** The head of a request is there. */
    @Override
    public Request customize(Request request, HttpFields.Mutable responseHeaders) {
        Watched one = watched.get(request.getConnectionMetaData().getConnection());
        if (one != null) {
            one.started();
            request.setAttribute(ATTRIBUTE, one);
            Request.addCompletionListener(request, failure -> one.ended());
        }
        return request;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!(request.getAttribute(ATTRIBUTE) instanceof Watched one)) {
            chain.doFilter(request, response);
            return;
        }
        one.entered(response::isCommitted);
        try {
            chain.doFilter(request, response);
        } finally {
            one.left();
        }
    }
}
