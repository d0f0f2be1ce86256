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
 * Disconnects clients that send a request head or read a response too slowly. The idle timeout does not detect them, since they are never
 * idle for long.
 *
 * <p>The time for a head starts with the connection, including its TLS handshake, and for later requests with the first byte. The time for
 * a response counts while the response holds a thread.
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

    /** The state of a connection. The connection's thread changes it; the checking thread reads it. */
    private static final class Watched {

        private final Connection connection;
        private volatile boolean served;
        private boolean holdsThread;
        private volatile long bytesInBefore = -1; // less than any count, so the time starts with the connection
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

        /** After this, the response may be reused for another request. Synchronized, so that a check in progress ends first. */
        synchronized void left() {
            holdsThread = false;
            responding = () -> false;
        }

        /** Whether the connection waits for the client. */
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

    /** Starts to check all connections at intervals. */
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
            } catch (RuntimeException e) { // a failure must not end the checks of other connections
                LOG.atError().setCause(e).log("Failed to check a connection");
            }
        }
    }

    private static void disconnect(Connection connection) {
        LOG.atInfo().log("Disconnected a slow client");
        EndPoint endPoint = connection.getEndPoint();
        // without a TLS close message, which would wait for the client
        (endPoint instanceof EndPoint.Wrapper wrapper ? wrapper.unwrap() : endPoint).close();
    }

    @Override
    public void onOpened(Connection connection) {
        if (connection instanceof ConnectionMetaData) { // otherwise it is the TLS layer of another connection
            watched.put(connection, new Watched(connection, System.nanoTime()));
        }
    }

    @Override
    public void onClosed(Connection connection) {
        watched.remove(connection);
    }

    /** Called when the head of a request is complete. */
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
