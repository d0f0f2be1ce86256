package dev.semel.testkit.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.store.Time;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A proxy for HTTP/1.1 between a client and a server on this machine. It applies a fault to each request with an {@code Idempotency-Key},
 * and logs it. Other requests pass. Its address stays the same while server and client are restarted. Thread-safe.
 */
public final class FaultProxy implements AutoCloseable {

    private static final int CONNECT_MILLIS = 10_000;
    private static final int HALF = 2;
    private static final DateTimeFormatter HTTP_DATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US);
    private static final long LONGEST_IDLE_NANOS = TimeUnit.SECONDS.toNanos(5); // servers close idle connections later

    private final ServerSocket listening;
    private final FaultPlan plan;
    private final Moments moments;
    private final InstantSource clock;
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private final List<Exchange> exchanges = new ArrayList<>();
    private final Map<String, Integer> attempts = new HashMap<>();
    private volatile Upstream upstream = new Upstream(0);
    private volatile boolean isNetworkOn = true;
    private volatile boolean closesConnections;

    /** The server at present. A new object for each process, even if it has the same port. */
    private static final class Upstream {

        private final int port;

        Upstream(int port) {
            this.port = port;
        }
    }

    /** Is notified of the moments of attempts whose fault kills a process. The exchange waits for it. */
    @FunctionalInterface
    public interface Moments {

        void kill(Fault.Target target);
    }

    /**
     * Starts a proxy.
     *
     * @param plan chooses the faults
     * @param moments kills processes
     * @param clock the client's clock, for dates in responses
     */
    public FaultProxy(FaultPlan plan, Moments moments, InstantSource clock) {
        this.plan = plan;
        this.moments = moments;
        this.clock = clock;
        try {
            this.listening = new ServerSocket(0, 1024, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread accepting = new Thread(this::accept, "fault proxy " + listening.getLocalPort());
        accepting.setDaemon(true);
        accepting.start();
    }

    /** Returns the address that the client sends to. */
    public URI uri() {
        return URI.create("http://localhost:" + listening.getLocalPort());
    }

    /** Sets the port of a server that was started on this machine. Open connections to the server before are not used any more. */
    public void forwardTo(int port) {
        upstream = new Upstream(port);
    }

    /** Closes each connection of a client after one response, and announces that in the response. */
    public void closeAfterEachResponse() {
        closesConnections = true;
    }

    /** Switches the network. Without a network, all connections of clients are reset, the open ones and new ones. */
    public void network(boolean isOn) {
        isNetworkOn = isOn;
        if (!isOn) {
            connections.forEach(connection -> connection.end(true));
        }
    }

    /** Returns all attempts so far, in the order of their arrival. */
    public List<Attempt> attempts() {
        synchronized (exchanges) {
            return exchanges.stream().map(Exchange::snapshot).toList();
        }
    }

    /** Returns how many attempts there were so far. */
    public int count() {
        synchronized (exchanges) {
            return exchanges.size();
        }
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket socket = listening.accept();
                if (isNetworkOn) {
                    Connection connection = new Connection(socket);
                    connections.add(connection);
                    Time.threads().execute(connection::read);
                    Time.threads().execute(connection::respond);
                } else {
                    end(socket, true);
                }
            } catch (IOException e) {
                // closed, or the client has disconnected already
            }
        }
    }

    private Exchange begin(Message request) {
        synchronized (exchanges) {
            String identity = request.identity();
            int number = attempts.merge(identity, 1, Integer::sum);
            Exchange exchange = new Exchange(request, number, plan.next(identity, number));
            exchanges.add(exchange);
            return exchange;
        }
    }

    private static void end(Socket socket, boolean reset) {
        try (socket) {
            if (reset) {
                socket.setSoLinger(true, 0);
            }
        } catch (IOException e) {
            // closed already
        }
    }

    @Override
    public void close() {
        end(listening);
        connections.forEach(connection -> connection.end(true));
    }

    private static void end(Closeable closeable) {
        try (closeable) {
            // closes it
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A connection to a server. */
    private static final class Link {

        private final Upstream to;
        private final Socket socket;
        private final InputStream in;
        private long usedNanos;

        Link(Upstream to, Socket socket, InputStream in) {
            this.to = to;
            this.socket = socket;
            this.in = in;
            this.usedNanos = System.nanoTime();
        }
    }

    /** An attempt in progress. */
    private static final class Exchange {

        private final Message request;
        private final String identity;
        private final int number;
        private final Fault fault;
        private long endedNanos = Long.MAX_VALUE;
        private int serverStatus;
        private int clientStatus;

        Exchange(Message request, int number, Fault fault) {
            this.request = request;
            this.identity = request.identity();
            this.number = number;
            this.fault = fault;
        }

        synchronized void responded(int status) {
            serverStatus = status;
        }

        /** Called before the client gets the last byte, since it may send the next request at once. */
        synchronized void ended(int status, long nanos) {
            if (endedNanos == Long.MAX_VALUE) {
                endedNanos = nanos;
                clientStatus = status;
            }
        }

        synchronized Attempt snapshot() {
            return new Attempt(
                    identity,
                    number,
                    request.header("Idempotency-Key"),
                    request.header("X-Client-Tx-Id"),
                    request.header("Authorization"),
                    fault,
                    request.startedNanos(),
                    endedNanos,
                    serverStatus,
                    clientStatus);
        }
    }

    /** A connection of a client. One thread reads, so that it notices when the client disconnects; another one responds. */
    private final class Connection {

        private final Socket client;
        private final BlockingQueue<Message> requests = new LinkedBlockingQueue<>();
        private @Nullable Exchange current;
        private long goneNanos = Long.MAX_VALUE;
        private @Nullable Link link;

        Connection(Socket client) {
            this.client = client;
        }

        void read() {
            try {
                client.setTcpNoDelay(true);
                InputStream in = new BufferedInputStream(client.getInputStream());
                for (Message next = Message.read(in, false); next != null; next = Message.read(in, false)) {
                    requests.add(next);
                }
            } catch (IOException | RuntimeException e) {
                // the client has disconnected
            }
            gone();
        }

        private synchronized void gone() {
            goneNanos = System.nanoTime();
            if (current != null) {
                current.ended(0, goneNanos);
            }
            notifyAll();
        }

        private synchronized boolean isGone() {
            return goneNanos != Long.MAX_VALUE;
        }

        private synchronized void setCurrent(@Nullable Exchange exchange) {
            current = exchange;
            if (exchange != null && isGone()) {
                exchange.ended(0, goneNanos);
            }
        }

        /** Waits until the client disconnects, at most for a time. */
        private synchronized void awaitGone(long millis) throws InterruptedException {
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
            for (long left = millis; left > 0 && !isGone(); ) {
                wait(left);
                left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            }
        }

        void respond() {
            try {
                boolean goOn = true;
                while (goOn) {
                    Message request = requests.poll(50, TimeUnit.MILLISECONDS);
                    if (request != null) {
                        goOn = respond(request);
                    } else {
                        goOn = !isGone() || !requests.isEmpty();
                    }
                }
            } catch (IOException | RuntimeException e) {
                // the client or the server has disconnected
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                end(false);
                endServer();
            }
        }

        /** Returns whether the connection stays open. */
        private boolean respond(Message request) throws IOException, InterruptedException {
            if (!request.hasHeader("Idempotency-Key")) {
                Message response = forward(request);
                write(announced(response.head()), response.body());
                return !closesConnections && !response.isLast();
            }
            Exchange exchange = begin(request);
            setCurrent(exchange);
            try {
                return respond(exchange);
            } finally {
                exchange.ended(0, System.nanoTime());
                setCurrent(null);
            }
        }

        private boolean respond(Exchange exchange) throws IOException, InterruptedException {
            Fault fault = exchange.fault;
            kill(fault, Fault.Moment.RECEIVED);
            awaitGone(fault.delay().toMillis());
            if (fault.kind() == Fault.Kind.HANG) {
                awaitGone(Long.MAX_VALUE / 2_000_000);
                return false;
            }
            Message response = null;
            if (fault.isForwarded()) {
                response = forward(exchange.request, () -> kill(fault, Fault.Moment.FORWARDED));
                exchange.responded(response.status());
                kill(fault, Fault.Moment.RESPONDED);
            }
            boolean goesOn = pass(exchange, response);
            kill(fault, Fault.Moment.PASSED);
            return goesOn;
        }

        private boolean pass(Exchange exchange, @Nullable Message response) throws IOException {
            Fault fault = exchange.fault;
            byte[] head = response == null ? new byte[0] : response.head();
            byte[] body = response == null ? new byte[0] : response.body();
            switch (fault.kind()) {
                case PASS -> {
                    exchange.ended(response == null ? 0 : response.status(), System.nanoTime());
                    write(announced(head), body);
                    return !closesConnections && response != null && !response.isLast();
                }
                case RESPOND -> {
                    exchange.ended(fault.status(), System.nanoTime());
                    write(announced(head(exchange)), fault.body().getBytes(UTF_8));
                    return !closesConnections;
                }
                case GARBAGE -> cut(exchange, "SSH-2.0-portal\r\n".getBytes(ISO_8859_1));
                case CUT_HEAD -> cut(exchange, Arrays.copyOf(head, head.length / HALF));
                case CUT_BODY ->
                    cut(
                            exchange,
                            body.length == 0 ? Arrays.copyOf(head, head.length / HALF) : head,
                            Arrays.copyOf(body, body.length / HALF));
                case DROP_REQUEST, DROP_RESPONSE, HANG -> cut(exchange);
            }
            return false;
        }

        private void cut(Exchange exchange, byte[]... parts) throws IOException {
            write(parts);
            exchange.ended(0, System.nanoTime());
            end(exchange.fault.reset());
        }

        /** Returns the head of a response, which announces that the connection is closed after it, if it is. */
        private byte[] announced(byte[] head) {
            String text = new String(head, ISO_8859_1);
            int statusLine = text.indexOf("\r\n");
            if (!closesConnections || statusLine < 0) {
                return head;
            }
            return (text.substring(0, statusLine) + "\r\nConnection: close" + text.substring(statusLine))
                    .getBytes(ISO_8859_1);
        }

        private byte[] head(Exchange exchange) {
            Fault fault = exchange.fault;
            StringBuilder head = new StringBuilder("HTTP/1.1 " + fault.status() + " By-Proxy\r\n");
            fault.headers()
                    .forEach((name, value) -> head.append(name + ": " + header(value, exchange.request) + "\r\n"));
            head.append("Content-Length: " + fault.body().getBytes(UTF_8).length + "\r\n\r\n");
            return head.toString().getBytes(ISO_8859_1);
        }

        /** Replaces a duration with the date after that time, and the name of a header with its value in the request. */
        private String header(String value, Message request) {
            if (value.equals(Fault.CLIENT_TX_ID)) {
                return request.header("X-Client-Tx-Id");
            }
            if (!value.startsWith(Fault.DATE_AFTER)) {
                return value;
            }
            Instant date = clock.instant().plus(Duration.parse(value.substring(Fault.DATE_AFTER.length())));
            return HTTP_DATE.format(date.atOffset(ZoneOffset.UTC));
        }

        private void kill(Fault fault, Fault.Moment moment) {
            if (fault.kill() != null && fault.at() == moment) {
                moments.kill(fault.kill());
            }
        }

        private void write(byte[]... parts) throws IOException {
            OutputStream out = client.getOutputStream();
            int length = Arrays.stream(parts).mapToInt(part -> part.length).sum();
            byte[] all = new byte[length];
            int at = 0;
            for (byte[] part : parts) {
                System.arraycopy(part, 0, all, at, part.length);
                at += part.length;
            }
            out.write(all);
            out.flush();
        }

        private Message forward(Message request) throws IOException {
            return forward(request, () -> {});
        }

        private Message forward(Message request, Runnable onForwarded) throws IOException {
            Link to = link();
            to.socket.getOutputStream().write(request.head());
            to.socket.getOutputStream().write(request.body());
            onForwarded.run();
            Message response = Message.read(to.in, true);
            if (response == null) {
                throw new IOException("The server has disconnected");
            }
            to.usedNanos = System.nanoTime();
            if (response.isLast()) {
                endServer();
            }
            return response;
        }

        /** Returns a connection to the present server that it has not closed for being idle. A new one replaces one to a server before. */
        private Link link() throws IOException {
            Upstream present = upstream;
            Link old = link;
            if (old != null && old.to == present && System.nanoTime() - old.usedNanos < LONGEST_IDLE_NANOS) {
                return old;
            }
            endServer();
            Socket socket = new Socket();
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), present.port), CONNECT_MILLIS);
            socket.setTcpNoDelay(true);
            Link opened = new Link(present, socket, new BufferedInputStream(socket.getInputStream()));
            link = opened;
            return opened;
        }

        private void endServer() {
            if (link != null) {
                FaultProxy.end(link.socket, true); // an orderly close would keep the port in use for a minute
                link = null;
            }
        }

        void end(boolean reset) {
            connections.remove(this);
            FaultProxy.end(client, reset);
        }
    }
}
