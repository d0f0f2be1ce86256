package dev.semel.testkit.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A request or response of HTTP/1.1, with its bytes as they were sent. */
final class Message {

    private static final int MOST_HEAD_BYTES = 64 << 10;
    private static final int MOST_BODY_BYTES = 16 << 20;

    private final String startLine;
    private final Map<String, String> headers;
    private final byte[] head;
    private final byte[] body;
    private final byte[] content;
    private final long startedNanos;

    private Message(
            String startLine,
            Map<String, String> headers,
            byte[] head,
            byte[] body,
            byte[] content,
            long startedNanos) {
        this.startLine = startLine;
        this.headers = headers;
        this.head = head;
        this.body = body;
        this.content = content;
        this.startedNanos = startedNanos;
    }

    /**
     * Reads the next message.
     *
     * @param isResponse whether the body of a message without a length ends with the connection
     * @return null if the stream ends before the first byte
     * @throws IOException if the message is incomplete or is not HTTP
     */
    static @Nullable Message read(InputStream in, boolean isResponse) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        String startLine = line(in, head);
        if (startLine == null) {
            return null;
        }
        long startedNanos = System.nanoTime();
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String line = rest(in, head); !line.isEmpty(); line = rest(in, head)) {
            int colon = line.indexOf(':');
            if (colon < 0) {
                throw new IOException("Not a header: " + line);
            }
            headers.put(line.substring(0, colon), line.substring(colon + 1).strip());
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        String length = headers.get("Content-Length");
        if ("chunked".equalsIgnoreCase(headers.get("Transfer-Encoding"))) {
            readChunks(in, body, content);
        } else if (length != null) {
            copy(in, Integer.parseInt(length), body);
            content.writeBytes(body.toByteArray());
        } else if (isResponse && !startLine.matches("HTTP/1\\.1 (1..|204|304).*")) {
            body.writeBytes(in.readNBytes(MOST_BODY_BYTES));
            content.writeBytes(body.toByteArray());
        }
        return new Message(
                startLine, headers, head.toByteArray(), body.toByteArray(), content.toByteArray(), startedNanos);
    }

    private static void readChunks(InputStream in, ByteArrayOutputStream raw, ByteArrayOutputStream content)
            throws IOException {
        while (true) {
            int size = Integer.parseInt(rest(in, raw).split(";", 2)[0].strip(), 16);
            copy(in, size, raw, content);
            String end = rest(in, raw);
            if (!end.isEmpty()) {
                throw new IOException("A chunk is followed by " + end);
            }
            if (size == 0) {
                return;
            }
        }
    }

    private static void copy(InputStream in, int length, ByteArrayOutputStream... out) throws IOException {
        if (length < 0 || length > MOST_BODY_BYTES) {
            throw new IOException("A length of " + length + " bytes");
        }
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("The body ended after " + bytes.length + " of " + length + " bytes");
        }
        for (ByteArrayOutputStream each : out) {
            each.writeBytes(bytes);
        }
    }

    private static String rest(InputStream in, ByteArrayOutputStream raw) throws IOException {
        String line = line(in, raw);
        if (line == null) {
            throw new EOFException("The message ended early");
        }
        return line;
    }

    private static @Nullable String line(InputStream in, ByteArrayOutputStream raw) throws IOException {
        int start = raw.size();
        while (true) {
            int next = in.read();
            if (next < 0) {
                if (raw.size() == start) {
                    return null;
                }
                throw new EOFException("A line ended early");
            }
            raw.write(next);
            if (next == '\n') {
                String line = raw.toString(ISO_8859_1).substring(start);
                return line.substring(0, line.length() - (line.endsWith("\r\n") ? 2 : 1));
            }
            if (raw.size() - start > MOST_HEAD_BYTES) {
                throw new IOException("A line of more than " + MOST_HEAD_BYTES + " bytes");
            }
        }
    }

    String header(String name) {
        return headers.getOrDefault(name, "");
    }

    boolean hasHeader(String name) {
        return headers.containsKey(name);
    }

    /** Returns the status of a response. */
    int status() {
        return Integer.parseInt(startLine.split(" ", 3)[1]);
    }

    /** Returns the identity of a request. */
    String identity() {
        String[] parts = startLine.split(" ", 3);
        return Attempt.identity(parts[0], parts[1], text());
    }

    /** Returns the body without the framing of chunks. */
    String text() {
        return new String(content, UTF_8);
    }

    byte[] head() {
        return head;
    }

    /** Returns the bytes of the body as they were sent, with the framing of chunks. */
    byte[] body() {
        return body;
    }

    /** Returns when the first line had arrived. */
    long startedNanos() {
        return startedNanos;
    }

    /** Whether the sender closes the connection after this message. */
    boolean isLast() {
        return header("Connection").equalsIgnoreCase("close");
    }
}
