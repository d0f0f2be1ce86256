package dev.semel.http.servlet;

import java.io.IOException;
import java.io.OutputStream;

/**
 * A stream of announced length that holds back its last byte, until the response is recorded. If it cannot be recorded, the client sees
 * that the response is incomplete.
 */
final class LastByte extends OutputStream {

    private final OutputStream out;
    private final byte[] last = new byte[1];
    private long left;
    private boolean held;

    /** @param announced the length of the response, at least 1 */
    LastByte(OutputStream out, long announced) {
        this.out = out;
        this.left = announced;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] source, int offset, int count) throws IOException {
        int fits = (int) Math.min(count, left);
        left -= fits;
        held = held || (fits > 0 && left == 0);
        if (held && fits > 0) {
            fits--;
            last[0] = source[offset + fits];
        }
        out.write(source, offset, fits);
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }

    /** Sends the last byte, if it was written. */
    void send() throws IOException {
        if (held) {
            out.write(last);
        }
    }
}
