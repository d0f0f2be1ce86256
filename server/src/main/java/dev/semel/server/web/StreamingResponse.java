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
 * A response that goes on: bytes are sent when there are some and the client takes them, and no thread waits for either.
 *
 * <p>Whoever {@linkplain #wake wakes} it does the sending, as far as the client takes it; if somebody is at it already, they go
 * on with it. So a source is never asked by two threads at once, and nobody is held up by a client.
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

    /** What flows. */
    public interface Source {

        /** Called once, before anything is sent. */
        void begin(StreamingResponse to);

        /** What comes next; null if there is nothing now, and then {@link StreamingResponse#wake} is called when there is. */
        byte @Nullable [] next();

        /** Called once, when nothing can be sent any more, whoever has ended it. */
        void ended();
    }

    /** Who asked for it, and what they said who they are with. */
    private record Reader(Callers callers, String token, Instant until) {

        static @Nullable Reader of(HttpServletRequest request, Callers callers) {
            Caller caller = Caller.of(request);
            return caller == null ? null : new Reader(callers, callers.token(request), caller.until());
        }

        /** Whether it is known that their token does not hold any more. */
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

    /** Begins to answer a request, whose status and headers are set. */
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
            context.complete(); // with the response to the failure
            throw e;
        }
    }

    /** Until when the one who asked may be answered. */
    public Instant until() {
        return reader == null ? Instant.MAX : reader.until;
    }

    /** Ends it if its reader would be rejected now. That may take a while, since keys may have to be fetched for it. */
    public void endIfRejected() {
        if (reader != null && reader.isRejected()) {
            end();
        }
    }

    /** Sends what there is, as far as the client takes it. */
    public void wake() {
        if (wakes.getAndIncrement() == 0) {
            int seen = 1;
            do {
                flow();
                seen = wakes.addAndGet(-seen);
            } while (seen != 0);
        }
    }

    /** Ends it: at once, if the client has taken what was sent; and if it has not, by closing the connection. */
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

    /** The client went away, or takes nothing. */
    private void cutOff(Throwable e) {
        LOG.atDebug().addKeyValue("error", e.toString()).log("A stream was cut off");
        complete();
    }

    private void complete() {
        over = true;
        try {
            context.complete();
        } catch (IllegalStateException e) {
            end(source); // it is complete already
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
            // it begins once
        }
    }
}
