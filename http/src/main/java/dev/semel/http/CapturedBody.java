package dev.semel.http;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The body of a response: held back until it is recorded, or, if that is allowed, streamed once it is long, with a copy that is kept up
 * to a limit.
 *
 * <p>A flush starts streaming only when more is written after it: many handlers flush before they return, and a complete response is
 * better held back until it is recorded.
 *
 * <p>If the client disconnects while it is streamed, the handler goes on: its effects are worth a record, and the client may retry.
 */
public final class CapturedBody extends OutputStream {

    /** For responses that are never streamed. */
    public static final int NEVER = Integer.MAX_VALUE;

    private static final byte[] NOTHING = {};
    private static final int FIRST = 512;
    private static final int LARGEST_ARRAY = Integer.MAX_VALUE - 8;

    private final Opening opening;
    private final int streamAfter;
    private final int keepAtMost;
    private byte[] bytes = NOTHING;
    private int length;
    private boolean kept = true;
    private boolean flushAsked;
    private boolean ended;
    private boolean streaming;
    private @Nullable OutputStream client; // while it is there

    /** Sends the head of the response, and returns the stream for its body. */
    @FunctionalInterface
    public interface Opening {

        OutputStream open() throws IOException;
    }

    /**
     * @param streamAfter how many bytes are held back
     * @param keepAtMost how many bytes are kept of a streamed response
     */
    public CapturedBody(Opening opening, int streamAfter, int keepAtMost) {
        this.opening = opening;
        this.streamAfter = streamAfter;
        this.keepAtMost = keepAtMost;
    }

    @Override
    public void write(int b) {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] source, int offset, int count) {
        if (ended || count == 0) {
            return;
        }
        if (flushAsked || (streamAfter != NEVER && count > streamAfter - length)) {
            stream();
        }
        keep(source, offset, count);
        if (client != null) {
            try {
                client.write(source, offset, count);
            } catch (IOException e) {
                client = null;
            }
        }
    }

    private void keep(byte[] source, int offset, int count) {
        if (streaming && count > keepAtMost - length) {
            kept = false;
            bytes = NOTHING;
            length = 0;
        }
        if (!kept) {
            return;
        }
        if (count > bytes.length - length) {
            long wanted = Math.max(Math.max(FIRST, 2L * bytes.length), (long) length + count);
            bytes = Arrays.copyOf(bytes, (int) Math.min(wanted, LARGEST_ARRAY));
        }
        System.arraycopy(source, offset, bytes, length, count);
        length += count;
    }

    /** From now on everything is sent at once. */
    private void stream() {
        if (streaming) {
            return;
        }
        streaming = true;
        flushAsked = false;
        try {
            client = opening.open();
            client.write(bytes, 0, length);
        } catch (IOException e) {
            client = null;
        }
    }

    @Override
    public void flush() {
        if (streaming) {
            flushClient();
        } else {
            flushAsked = streamAfter != NEVER && !ended;
        }
    }

    /** Takes what a writer to this stream still holds; this is no flush that the handler asked for. */
    public void flushing(PrintWriter writer) {
        boolean before = flushAsked;
        writer.flush();
        flushAsked = before;
    }

    /** Sends what there is, where that is allowed. */
    public void flushNow() {
        if (streamAfter != NEVER && !ended) {
            stream();
            flushClient();
        }
    }

    private void flushClient() {
        try {
            if (client != null) {
                client.flush();
            }
        } catch (IOException e) {
            client = null;
        }
    }

    /** What is written from now on is thrown away, as it is after a container's stream was closed. */
    @Override
    public void close() {
        ended = true;
    }

    /** Forgets what was written; not possible once it is sent. */
    public void clear() {
        length = 0;
        flushAsked = false;
        ended = false;
    }

    /** Whether it was sent before it was recorded. */
    public boolean isStreaming() {
        return streaming;
    }

    /** Whether it is here from beginning to end. */
    public boolean isKept() {
        return kept;
    }

    public int length() {
        return length;
    }

    public byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }

    public void writeTo(OutputStream out) throws IOException {
        if (length > 0) {
            out.write(bytes, 0, length);
        }
    }
}
