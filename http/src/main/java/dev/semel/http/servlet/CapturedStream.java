package dev.semel.http.servlet;

import dev.semel.http.CapturedBody;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;

/** The output stream of a captured response. */
final class CapturedStream extends ServletOutputStream {

    private final CapturedBody body;

    CapturedStream(CapturedBody body) {
        this.body = body;
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

    @Override
    public void setWriteListener(WriteListener listener) {
        throw new IllegalStateException("The request is not asynchronous");
    }
}
