package dev.semel.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A network between a browser and a server: it goes down, leads to another server, and loses responses. Streams pass. */
final class Relay implements AutoCloseable {

    private final ServerSocket listening;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger toLose = new AtomicInteger();
    private volatile boolean isOn = true;
    private volatile int target;

    Relay(int target) {
        this.target = target;
        try {
            this.listening = new ServerSocket(0, 1024, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        daemon(this::accept);
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "relay");
        thread.setDaemon(true);
        thread.start();
    }

    String url() {
        return "http://localhost:" + listening.getLocalPort();
    }

    void forwardTo(int port) {
        target = port;
    }

    /** Switches the network. Without one, all connections are closed, the open ones and new ones. */
    void network(boolean isOn) {
        this.isOn = isOn;
        if (!isOn) {
            sockets.forEach(Relay::end);
        }
    }

    /** Loses the responses to the next requests that create a post: the server processes them. */
    void loseResponses(int count) {
        toLose.set(count);
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                sockets.add(client);
                if (isOn) {
                    Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                    sockets.add(server);
                    boolean[] loses = {false};
                    daemon(() -> pass(client, server, loses, true));
                    daemon(() -> pass(server, client, loses, false));
                } else {
                    end(client);
                }
            } catch (IOException e) {
                // closed, or the server has ended
            }
        }
    }

    private void pass(Socket from, Socket to, boolean[] loses, boolean isRequest) {
        byte[] buffer = new byte[64 << 10];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                synchronized (loses) {
                    if (isRequest && new String(buffer, 0, read, ISO_8859_1).startsWith("POST /v1/feed/posts ")) {
                        loses[0] = toLose.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
                    } else if (!isRequest && loses[0]) {
                        break;
                    }
                }
                out.write(buffer, 0, read);
            }
        } catch (IOException e) {
            // disconnected
        } finally {
            end(from);
            end(to);
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    private static void end(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // it is closed
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        network(false);
    }
}
