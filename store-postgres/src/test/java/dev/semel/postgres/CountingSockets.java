package dev.semel.postgres;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.SocketFactory;

/** A socket factory for the driver, which counts round trips: reads that follow a write. */
public final class CountingSockets extends SocketFactory {

    private static final AtomicLong ROUND_TRIPS = new AtomicLong();

    static long roundTrips() {
        return ROUND_TRIPS.get();
    }

    @Override
    public Socket createSocket() {
        return new Counting();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        throw new IOException("not asked for by the driver");
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
        throw new IOException("not asked for by the driver");
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        throw new IOException("not asked for by the driver");
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws IOException {
        throw new IOException("not asked for by the driver");
    }

    private static final class Counting extends Socket {

        private volatile boolean written;

        @Override
        public OutputStream getOutputStream() throws IOException {
            OutputStream out = super.getOutputStream();
            return new OutputStream() {
                @Override
                public void write(int one) throws IOException {
                    written = true;
                    out.write(one);
                }

                @Override
                public void write(byte[] bytes, int from, int count) throws IOException {
                    written = true;
                    out.write(bytes, from, count);
                }

                @Override
                public void flush() throws IOException {
                    out.flush();
                }
            };
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read(byte[] bytes, int from, int count) throws IOException {
                    if (written) {
                        written = false;
                        ROUND_TRIPS.incrementAndGet();
                    }
                    return super.read(bytes, from, count);
                }
            };
        }
    }
}
