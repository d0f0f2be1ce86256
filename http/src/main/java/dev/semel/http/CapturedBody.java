package dev.semel.http;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Captures the body of a response. A body is buffered until the response is recorded. If streaming is allowed, a body that exceeds the
 * buffer is sent to the client while the handler writes it, and a copy is kept up to a limit.
 *
 * <p>A flush starts streaming only when more is written after it: many handlers flush before they return, and a complete response should
 * be recorded before it is sent.
 *
 * <p>If the client disconnects during streaming, writes do not fail: the handler completes, and a retry gets the recorded response.
 *
 * <p>Not thread-safe.
 */
public final class CapturedBody extends OutputStream {

    /** Value of {@code streamAfter} for bodies that are never streamed. */
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
    private volatile boolean eager;
    private volatile @Nullable OutputStream client; // null once it has disconnected

    /** Opens the client's stream when streaming starts. */
    @FunctionalInterface
    public interface Opening {

        /** Sends status and headers, and returns the stream for the body. */
        OutputStream open() throws IOException;
    }

    /**
     * Creates an empty body.
     *
     * @param streamAfter the most bytes that are buffered before streaming starts, or {@link #NEVER}
     * @param keepAtMost the most bytes that are kept of a streamed body
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
        OutputStream to = client;
        if (to != null) {
            try {
                to.write(source, offset, count);
            } catch (IOException
                    | RuntimeException e) { // a container may throw any exception for a response that it has recycled
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

    private void stream() {
        if (streaming) {
            return;
        }
        streaming = true;
        flushAsked = false;
        try {
            OutputStream opened = opening.open();
            opened.write(bytes, 0, length);
            client = opened;
        } catch (IOException e) {
            client = null;
        }
    }

    @Override
    public void flush() {
        if (eager && !ended && !streaming) {
            stream();
        }
        if (streaming) {
            flushClient();
        } else {
            flushAsked = streamAfter != NEVER && !ended;
        }
    }

    /** Flushes a writer into this body. Unlike {@link #flush()}, this never starts streaming. */
    public void flushing(PrintWriter writer) {
        boolean before = flushAsked;
        writer.flush();
        flushAsked = before;
    }

    private void flushClient() {
        try {
            OutputStream to = client;
            if (to != null) {
                to.flush();
            }
        } catch (IOException | RuntimeException e) {
            client = null;
        }
    }

    /** Ends the body. Later writes are discarded, as they are by a container's stream. */
    @Override
    public void close() {
        ended = true;
    }

    /** Sets whether a flush starts streaming at once. It does nothing if the body is never streamed. */
    public void streamOnFlush(boolean eager) {
        this.eager = eager && streamAfter != NEVER;
    }

    /** Stops sending the body. What is written is kept. */
    public void disconnect() {
        client = null;
    }

    /** Ends the body and disconnects it from the client, whose response must not be used any more. */
    public void detach() {
        ended = true;
        client = null;
    }

    /** Discards what was written. Must not be called once the body is streamed. */
    public void clear() {
        length = 0;
        flushAsked = false;
        ended = false;
    }

    /** Returns whether the body was flushed, so that a later write starts streaming. */
    public boolean isFlushed() {
        return flushAsked;
    }

    /** Returns whether streaming has started. */
    public boolean isStreaming() {
        return streaming;
    }

    /** Returns whether streaming has started, and bytes could not be sent. */
    public boolean hasLostClient() {
        return streaming && client == null;
    }

    /** Returns whether the whole body is kept. */
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
