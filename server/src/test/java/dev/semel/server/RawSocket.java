package dev.semel.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;

/** Sends bytes that HTTP clients would not send. */
final class RawSocket {

    private RawSocket() {}

    /** Sends one byte per character, and returns all bytes until the connection is closed. */
    static String send(int port, String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(20_000); // silent clients are disconnected later
            socket.getOutputStream().write(request.getBytes(ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
        }
    }
}
