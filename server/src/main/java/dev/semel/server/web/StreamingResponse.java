package dev.semel.server.web;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.io.EndPoint;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A response that is streamed without holding a thread, while it waits for the source or for the client.
 *
 * <p>The thread that {@linkplain #wake wakes} it sends as much as the client accepts. If another thread is sending already, that thread
 * continues instead. So the source is called by one thread at a time, and no thread waits for a client.
 */
public final class StreamingResponse {

    private static final int BUFFER_BYTES = 8 << 10;
    private static final Logger LOG = LoggerFactory.getLogger(StreamingResponse.class);

    private final AsyncContext context;
    private final ServletOutputStream out;
    private final EndPoint connection;
    private final Source source;
    private final @Nullable Reader reader;
    private final AtomicInteger wakes = new AtomicInteger();
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile boolean mayFlow;
    private volatile boolean ending;
    private volatile boolean over;
    private boolean unsent;

    /** The source of a stream. */
    public interface Source {

        /** Called once, before anything is sent. */
        void begin(StreamingResponse to);

        /**
         * Returns the next bytes; null if there are none now. In that case, the source calls {@link StreamingResponse#wake} when there are.
         */
        byte @Nullable [] next();

        /** Called once, when the stream has ended for any reason. */
        void ended();
    }

    /** The caller of a request and the token. */
    private record Reader(Callers callers, String token, Instant until) {

        static @Nullable Reader of(HttpServletRequest request, Callers callers) {
            Caller caller = Caller.of(request);
            return caller == null ? null : new Reader(callers, callers.token(request), caller.until());
        }

        /** Whether the token is known to be invalid now. */
        boolean isRejected() {
            try {
                callers.byToken(token);
                return false;
            } catch (ProblemException e) {
                return e.problem().status() == HttpServletResponse.SC_UNAUTHORIZED;
            }
        }
    }

    private StreamingResponse(
            AsyncContext context,
            ServletOutputStream out,
            EndPoint connection,
            Source source,
            @Nullable Reader reader) {
        this.context = context;
        this.out = out;
        this.connection = connection;
        this.source = source;
        this.reader = reader;
    }

    /** Starts the stream of a response whose status and headers are set. */
    static void begin(HttpServletRequest request, HttpServletResponse response, Source source, Callers callers)
            throws IOException {
        EndPoint connection = ServletContextRequest.getServletContextRequest(request)
                .getConnectionMetaData()
                .getConnection()
                .getEndPoint();
        response.setBufferSize(BUFFER_BYTES);
        AsyncContext context = request.startAsync();
        context.setTimeout(0);
        StreamingResponse flow = new StreamingResponse(
                context, response.getOutputStream(), connection, source, Reader.of(request, callers));
        Listener listener = flow.new Listener();
        context.addListener(listener);
        try {
            source.begin(flow);
            flow.out.setWriteListener(listener);
        } catch (RuntimeException e) {
            context.complete(); // sends the response to the failure
            throw e;
        }
    }

    /** Returns when the token of the caller expires; {@link Instant#MAX} if the route requires none. */
    public Instant until() {
        return reader == null ? Instant.MAX : reader.until;
    }

    /** Ends the stream if the token is not valid any more. May block while keys are fetched. */
    public void endIfRejected() {
        if (reader != null && reader.isRejected()) {
            end();
        }
    }

    /** Sends as much as the source has and the client accepts. */
    public void wake() {
        if (wakes.getAndIncrement() == 0) {
            int seen = 1;
            do {
                flow();
                seen = wakes.addAndGet(-seen);
            } while (seen != 0);
        }
    }

    /** Ends the stream. If the client has not read everything, closes the connection. */
    public void end() {
        ending = true;
        wake();
    }

    private void flow() {
        if (!mayFlow || over) {
            return;
        }
        try {
            while (out.isReady()) {
                byte[] bytes = ending ? null : source.next();
                if (bytes != null) {
                    out.write(bytes);
                    unsent = true;
                } else if (unsent) {
                    unsent = false;
                    out.flush();
                } else {
                    if (ending) {
                        complete();
                    }
                    return;
                }
            }
            if (ending) {
                connection.close();
            }
        } catch (IOException e) {
            cutOff(e);
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("A stream failed unexpectedly");
            complete();
        }
    }

    /** Ends the stream after the client disconnected or timed out. */
    private void cutOff(Throwable e) {
        LOG.atDebug().addKeyValue("error", e.toString()).log("A stream was cut off");
        complete();
    }

    private void complete() {
        over = true;
        try {
            context.complete();
        } catch (IllegalStateException e) {
            end(source); // the response is complete already
        }
    }

    private void end(Source ending) {
        if (!ended.getAndSet(true)) {
            ending.ended();
        }
    }

    private final class Listener implements WriteListener, AsyncListener {

        @Override
        public void onWritePossible() {
            mayFlow = true;
            wake();
        }

        @Override
        public void onError(Throwable e) {
            cutOff(e);
        }

        @Override
        public void onComplete(AsyncEvent event) {
            over = true;
            end(source);
        }

        @Override
        public void onError(AsyncEvent event) {
            complete();
        }

        @Override
        public void onTimeout(AsyncEvent event) {
            complete();
        }

        @Override
        public void onStartAsync(AsyncEvent event) {
            // started only once
        }
    }
}
