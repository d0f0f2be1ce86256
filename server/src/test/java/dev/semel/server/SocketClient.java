package dev.semel.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A WebSocket client that gives tests control of every byte. */
public final class SocketClient implements AutoCloseable {

    public static final int TEXT = 1;
    public static final int BINARY = 2;
    public static final int CLOSE = 8;
    public static final int PING = 9;
    public static final int PONG = 10;
    public static final int LAST = 0x80;

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final byte[] MASK = {1, 2, 3, 4};

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    private final String answered;

    private SocketClient(int port, String path, String headers) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(60_000);
        in = new DataInputStream(socket.getInputStream());
        out = socket.getOutputStream();
        out.write(("GET " + path + " HTTP/1.1\r\nHost: localhost:" + port
                        + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13"
                        + "\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" + headers + "\r\n")
                .getBytes(ISO_8859_1));
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append((char) in.readUnsignedByte());
        }
        answered = head.toString();
    }

    /** Sends an upgrade request, and reads the response to it. */
    public static SocketClient ask(int port, String path, String... headers) throws IOException {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < headers.length; i += 2) {
            lines.append(headers[i]).append(": ").append(headers[i + 1]).append("\r\n");
        }
        return new SocketClient(port, path, lines.toString());
    }

    /** Opens a WebSocket with a token in the header. */
    public static SocketClient open(int port, String path, String token) throws IOException {
        SocketClient client = ask(port, path, "Authorization", "Bearer " + token);
        assertThat(client.answered).startsWith("HTTP/1.1 101 ");
        return client;
    }

    /** Returns the response to the upgrade without its body. */
    public String answered() {
        return answered;
    }

    /** Returns the body of a response that rejected the upgrade. */
    public JsonNode refusal() throws IOException {
        int from = answered.indexOf("Content-Length: ") + "Content-Length: ".length();
        int length = Integer.parseInt(answered.substring(from, answered.indexOf('\r', from)));
        return MAPPER.readTree(in.readNBytes(length));
    }

    /** Sends a frame, masked as clients must. */
    public SocketClient frame(int first, byte[] payload) throws IOException {
        byte[] masked = payload.clone();
        for (int i = 0; i < masked.length; i++) {
            masked[i] ^= MASK[i % 4];
        }
        ByteBuffer frame = ByteBuffer.allocate(14 + payload.length).put((byte) first);
        if (payload.length < 126) {
            frame.put((byte) (0x80 | payload.length));
        } else if (payload.length < 1 << 16) {
            frame.put((byte) (0x80 | 126)).putShort((short) payload.length);
        } else {
            frame.put((byte) (0x80 | 127)).putLong(payload.length);
        }
        frame.put(MASK).put(masked);
        return raw(java.util.Arrays.copyOf(frame.array(), frame.position()));
    }

    /** Sends bytes without framing them. */
    public SocketClient raw(byte... bytes) throws IOException {
        out.write(bytes);
        out.flush();
        return this;
    }

    /** Sends a text message in one frame. */
    public SocketClient send(String text) throws IOException {
        return frame(LAST | TEXT, text.getBytes(UTF_8));
    }

    /** Returns the next frame, its first byte first. */
    public byte[] receive() throws IOException {
        int first = in.readUnsignedByte();
        long length = in.readUnsignedByte();
        if (length == 126) {
            length = in.readUnsignedShort();
        } else if (length == 127) {
            length = in.readLong();
        }
        return ByteBuffer.allocate((int) length + 1)
                .put((byte) first)
                .put(in.readNBytes((int) length))
                .array();
    }

    /** Returns the JSON of the next frame. Skips pings, and fails if the frame is not a text. */
    public JsonNode message() throws IOException {
        byte[] frame = receive();
        while ((frame[0] & 0xff) == (LAST | PING)) {
            frame = receive();
        }
        String text = new String(frame, 1, frame.length - 1, UTF_8);
        assertThat(frame[0] & 0xff).as(text).isEqualTo(LAST | TEXT);
        return MAPPER.readTree(text);
    }

    /** Sends a message and returns the reply. */
    public JsonNode ask(String text) throws IOException {
        return send(text).message();
    }

    /** Returns the code and reason of the next frame, which must be a close frame, and answers it. */
    public String closed() throws IOException {
        byte[] frame = receive();
        assertThat(frame[0] & 0xff).as(new String(frame, UTF_8)).isEqualTo(LAST | CLOSE);
        try {
            frame(LAST | CLOSE, new byte[] {frame[1], frame[2]});
        } catch (IOException e) {
            // the server closes the connection to clients that violate the protocol
        }
        int code = (frame[1] & 0xff) << 8 | (frame[2] & 0xff);
        return (code + " " + new String(frame, 3, frame.length - 3, UTF_8)).strip();
    }

    /** Whether bytes can be read. */
    public boolean hasMore() throws IOException {
        return in.available() > 0;
    }

    /** Whether the connection is closed. */
    public boolean isGone() {
        try {
            return in.read() < 0;
        } catch (IOException e) {
            return true;
        }
    }

    /** Closes the connection without a close frame. */
    @Override
    public void close() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }
}
