package dev.semel.http.servlet;

import dev.semel.http.CapturedBody;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import org.jspecify.annotations.Nullable;

/** The output stream of a captured response. */
final class CapturedStream extends ServletOutputStream {

    private final CapturedBody body;
    private @Nullable AsyncRun async;

    CapturedStream(CapturedBody body) {
        this.body = body;
    }

    /** Sets the run whose handler may write without blocking. */
    void async(AsyncRun async) {
        this.async = async;
    }

    @Override
    public void write(int b) {
        body.write(b);
    }

    @Override
    public void write(byte[] source, int offset, int count) {
        body.write(source, offset, count);
    }

    @Override
    public void flush() {
        body.flush();
    }

    @Override
    public void close() {
        body.close();
    }

    @Override
    public boolean isReady() {
        return true;
    }

    /** Notifies a listener once: the body is captured in memory, or its stream blocks, so it is always ready. */
    @Override
    public void setWriteListener(WriteListener listener) {
        if (async == null) {
            throw new IllegalStateException("The request is not asynchronous");
        }
        async.later(listener::onWritePossible, listener::onError);
    }
}
