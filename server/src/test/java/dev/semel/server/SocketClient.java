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

/** A WebSocket of which every byte is the test's. */
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

    /** Asks for one, and returns whatever is answered. */
    public static SocketClient ask(int port, String path, String... headers) throws IOException {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < headers.length; i += 2) {
            lines.append(headers[i]).append(": ").append(headers[i + 1]).append("\r\n");
        }
        return new SocketClient(port, path, lines.toString());
    }

    /** Opens one with a token in the header. */
    public static SocketClient open(int port, String path, String token) throws IOException {
        SocketClient client = ask(port, path, "Authorization", "Bearer " + token);
        assertThat(client.answered).startsWith("HTTP/1.1 101 ");
        return client;
    }

    /** The response to the upgrade, without its body. */
    public String answered() {
        return answered;
    }

    /** The body of a response that refused the upgrade. */
    public JsonNode refusal() throws IOException {
        int from = answered.indexOf("Content-Length: ") + "Content-Length: ".length();
        int length = Integer.parseInt(answered.substring(from, answered.indexOf('\r', from)));
        return MAPPER.readTree(in.readNBytes(length));
    }

    /** Sends a frame, masked as clients have to. */
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

    /** Sends bytes as they are. */
    public SocketClient raw(byte... bytes) throws IOException {
        out.write(bytes);
        out.flush();
        return this;
    }

    /** Sends a text message. */
    public SocketClient send(String text) throws IOException {
        return frame(LAST | TEXT, text.getBytes(UTF_8));
    }

    /** The next frame, with its first byte in front. */
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

    /** The next frame but for pings, which come at any time, has to be a text: its JSON. */
    public JsonNode message() throws IOException {
        byte[] frame = receive();
        while ((frame[0] & 0xff) == (LAST | PING)) {
            frame = receive();
        }
        String text = new String(frame, 1, frame.length - 1, UTF_8);
        assertThat(frame[0] & 0xff).as(text).isEqualTo(LAST | TEXT);
        return MAPPER.readTree(text);
    }

    /** What a message is answered. */
    public JsonNode ask(String text) throws IOException {
        return send(text).message();
    }

    /** The next frame has to end it: with which code and for which reason. It is answered as it has to be. */
    public String closed() throws IOException {
        byte[] frame = receive();
        assertThat(frame[0] & 0xff).as(new String(frame, UTF_8)).isEqualTo(LAST | CLOSE);
        try {
            frame(LAST | CLOSE, new byte[] {frame[1], frame[2]});
        } catch (IOException e) {
            // whoever was too bad is not listened to any more
        }
        int code = (frame[1] & 0xff) << 8 | (frame[2] & 0xff);
        return (code + " " + new String(frame, 3, frame.length - 3, UTF_8)).strip();
    }

    /** Whether something has come. */
    public boolean hasMore() throws IOException {
        return in.available() > 0;
    }

    /** Whether nothing comes any more, as the connection is gone. */
    public boolean isGone() {
        try {
            return in.read() < 0;
        } catch (IOException e) {
            return true;
        }
    }

    /** Cuts it off without a word. */
    @Override
    public void close() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }
}
