package dev.semel.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;

/** Sends what no client would. */
final class RawSocket {

    private RawSocket() {}

    /** Sends bytes, one for each character, and returns all that comes until the connection is closed. */
    static String send(int port, String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(20_000); // a silent client is disconnected later
            socket.getOutputStream().write(request.getBytes(ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
        }
    }
}
