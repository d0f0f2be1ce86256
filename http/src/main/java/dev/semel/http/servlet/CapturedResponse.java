package dev.semel.http.servlet;

import dev.semel.http.CapturedBody;
import dev.semel.http.Payload;
import dev.semel.http.Problem;
import dev.semel.store.Response;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.lang.System.Logger.Level;
import java.nio.charset.Charset;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Captures the response of one run of a handler, so that it can be recorded before it is sent. Each run has a new one, so a discarded run
 * leaves nothing behind.
 *
 * <p>Only content type, character encoding and locale are set on the wrapped response at once, because the container implements how they
 * depend on each other.
 */
final class CapturedResponse extends HttpServletResponseWrapper {

    private static final System.Logger LOG = System.getLogger(IdempotencyFilter.class.getName());

    private static final DateTimeFormatter HTTP_DATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
            .withZone(ZoneOffset.UTC);
    private static final String CONTENT_LENGTH = "Content-Length";
    private static final String CONTENT_LANGUAGE = "Content-Language";
    private static final byte[] NOTHING = {};

    /** Recorded header of a response that was ended by {@code sendError}. Handlers cannot set it, and it is never sent. */
    private static final String ERROR = "Semel-Error";

    private static final String NO_MESSAGE = "-";
    private static final String MESSAGE = "=";

    private final HttpServletResponse beneath;
    private final ServletResponse wrapped;
    private final @Nullable String typeBefore;
    private final CapturedHeaders headers = new CapturedHeaders();
    private final List<Cookie> cookies = new ArrayList<>(0);
    private final CapturedBody body;
    private final CapturedStream stream;
    private @Nullable LastByte lastByte;
    private int status = SC_OK;
    private long announced = -1;
    private boolean ended;
    private boolean flushed;
    private boolean error;
    private @Nullable String errorMessage;
    private volatile boolean suspended;
    private volatile boolean disconnected;
    private volatile boolean unopened;
    private boolean localeSet;
    private boolean streamTaken;
    private @Nullable PrintWriter writer;
    private @Nullable String writerEncoding;

    /**
     * Creates an empty response.
     *
     * @param streamAfter the most bytes that are buffered before streaming starts, or {@link CapturedBody#NEVER}
     * @param keepAtMost the most bytes that are kept of a streamed response
     */
    CapturedResponse(HttpServletResponse beneath, int streamAfter, int keepAtMost) {
        super(Tomcat.hidden(beneath));
        this.beneath = beneath;
        this.wrapped = getResponse();
        this.typeBefore = beneath.getContentType();
        this.body = new CapturedBody(this::openStream, streamAfter, keepAtMost);
        this.stream = new CapturedStream(body);
    }

    /**
     * Whether a resource that is being included writes this response: it must not change status and headers. Tomcat then has put a
     * response beneath this one. Jetty puts it on top, where it ignores such changes itself.
     */
    private boolean isIncluded() {
        return getResponse() != wrapped;
    }

    private boolean isFixed() {
        return isCommitted() || isIncluded();
    }

    private OutputStream openStream() throws IOException {
        if (suspended || disconnected) {
            unopened = true;
            throw new IOException("The client does not receive the response");
        }
        copyHead();
        if (announced <= 0) {
            return beneath.getOutputStream();
        }
        beneath.setContentLengthLong(announced);
        lastByte = new LastByte(beneath.getOutputStream(), announced);
        return lastByte;
    }

    private void copyHead() {
        beneath.setStatus(status);
        headers.copyTo(beneath);
        cookies.forEach(beneath::addCookie);
    }

    /** Flushes the writer into the body. Called when the handler has returned. */
    void finish() {
        if (writer != null) {
            body.flushing(writer);
        }
    }

    /** Sends the response, or the rest of it if it was streamed. Does nothing if the client has disconnected. */
    void send() throws IOException {
        if (disconnected) {
            return;
        }
        if (body.isStreaming()) {
            if (lastByte != null) {
                lastByte.send();
            }
            return;
        }
        copyHead();
        if (error) {
            beneath.sendError(status, errorMessage);
            return;
        }
        if (body.length() > 0) {
            beneath.setContentLength(body.length());
            body.writeTo(beneath.getOutputStream());
        }
    }

    /** Sends a recorded response. */
    static void replay(Response recorded, HttpServletResponse response) throws IOException {
        response.setStatus(recorded.status());
        recorded.headers().forEach((name, value) -> {
            if (!name.equals(ERROR)) {
                response.setHeader(name, value);
            }
        });
        String error = recorded.headers().get(ERROR);
        if (error != null) {
            response.sendError(recorded.status(), error.equals(NO_MESSAGE) ? null : error.substring(MESSAGE.length()));
            return;
        }
        byte[] bytes = recorded.body();
        if (bytes.length > 0) {
            response.setContentLength(bytes.length);
            response.getOutputStream().write(bytes);
        }
    }

    /** Sets the run whose handler may write without blocking. */
    void async(AsyncRun async) {
        stream.async(async);
    }

    /** Sets whether a flush starts streaming at once. */
    void streamOnFlush(boolean eager) {
        body.streamOnFlush(eager);
    }

    /** Lets the client get a 500 unless this response is resumed, and does not stream it before. */
    void suspend() {
        suspended = true;
        if (!beneath.isCommitted()) {
            beneath.setStatus(SC_INTERNAL_SERVER_ERROR); // sending sets the status of this response
        }
    }

    void resume() {
        suspended = false;
    }

    /** Stops sending this response, whose client has disconnected. The handler may continue to write it. */
    void disconnect() {
        disconnected = true;
        body.disconnect();
    }

    /** Returns whether the container has reported that the client has disconnected. */
    boolean isDisconnected() {
        return disconnected;
    }

    /** Returns whether the container has reported that the client has disconnected, or will, as Tomcat does after a failed write. */
    boolean hasLostClient() {
        return disconnected || (body.hasLostClient() && !unopened && Tomcat.made(beneath));
    }

    /** Disconnects this response from the client. The container has completed the request. */
    void detach() {
        body.detach();
    }

    /** Breaks the connection off, if the client has a part of the response; otherwise sends an error. */
    void abort() {
        try {
            if (beneath.isCommitted()) {
                Tomcat.closeNow(beneath);
            } else {
                beneath.sendError(SC_INTERNAL_SERVER_ERROR);
            }
        } catch (IOException | RuntimeException e) {
            LOG.log(Level.DEBUG, "The client has disconnected", e);
        }
    }

    /** Reverts what was set on the wrapped response. */
    void discard() {
        if (!isStreaming()) {
            beneath.setContentType(typeBefore);
            if (typeBefore == null) {
                beneath.setCharacterEncoding((String) null);
            }
            if (localeSet) {
                beneath.setLocale(null);
            }
        }
    }

    boolean isStreaming() {
        return body.isStreaming();
    }

    /**
     * Returns the response to record.
     *
     * @param extraHeaders recorded in addition to the handler's
     */
    Response toResponse(Map<String, String> extraHeaders) {
        if (!body.isKept()) {
            return Response.of(status, Map.of(), NOTHING).notKept();
        }
        Map<String, String> replayed = headers.toReplay();
        if (error) {
            replayed.put(ERROR, errorMessage == null ? NO_MESSAGE : MESSAGE + errorMessage);
            replayed.putAll(extraHeaders);
            return Response.of(status, replayed, NOTHING);
        }
        String type = getContentType();
        if (type != null) {
            replayed.put(Payload.CONTENT_TYPE, type);
        }
        replayed.putAll(extraHeaders);
        return Response.of(status, replayed, body.toBytes());
    }

    @Override
    public ServletOutputStream getOutputStream() {
        if (writer != null) {
            throw new IllegalStateException("getWriter() was called for this response: write the body to the writer");
        }
        streamTaken = true;
        return stream;
    }

    @Override
    public PrintWriter getWriter() {
        if (writer == null) {
            if (streamTaken) {
                throw new IllegalStateException(
                        "getOutputStream() was called for this response: write the body to the stream");
            }
            writerEncoding = Objects.requireNonNullElse(super.getCharacterEncoding(), "ISO-8859-1");
            writer = new PrintWriter(new OutputStreamWriter(body, Charset.forName(writerEncoding)));
            declareEncoding();
        }
        return writer;
    }

    /** Adds the writer's encoding to the content type, as containers do. JSON in UTF-8 needs none. */
    private void declareEncoding() {
        String type = super.getContentType();
        if (writerEncoding != null
                && !(type != null && Payload.isJson(type) && writerEncoding.equalsIgnoreCase("UTF-8"))) {
            super.setCharacterEncoding(writerEncoding);
        }
    }

    @Override
    public void setContentType(@Nullable String type) {
        if (isFixed()) {
            return;
        }
        super.setContentType(type);
        declareEncoding(); // the encoding of a writer cannot change
    }

    @Override
    public void setCharacterEncoding(@Nullable String encoding) {
        if (writer == null && !isFixed()) {
            super.setCharacterEncoding(encoding);
        }
    }

    @Override
    public void setCharacterEncoding(@Nullable Charset encoding) {
        setCharacterEncoding(encoding == null ? null : encoding.name());
    }

    @Override
    public void setLocale(@Nullable Locale locale) {
        if (isFixed()) {
            return;
        }
        super.setLocale(locale);
        localeSet = true;
        declareEncoding();
        headers.set(CONTENT_LANGUAGE, locale == null ? null : locale.toLanguageTag(), beneath);
    }

    @Override
    public void setStatus(int status) {
        if (!isFixed()) {
            this.status = status;
        }
    }

    @Override
    public int getStatus() {
        return status;
    }

    @Override
    public void sendError(int status) {
        sendError(status, null);
    }

    /** Ends the response. The container makes the error page when the response is sent or replayed. */
    @Override
    public void sendError(int status, @Nullable String message) {
        if (isIncluded()) {
            return;
        }
        requireUncommitted();
        restart();
        this.status = status;
        error = true;
        errorMessage = message;
        end(NOTHING);
    }

    /** Replaces the body by a problem, and commits the response. */
    void send(Problem problem) {
        restart();
        this.status = problem.status();
        super.setContentType(Problem.CONTENT_TYPE);
        super.setCharacterEncoding((String) null);
        end(problem.toJson());
    }

    @Override
    public void sendRedirect(String location) throws IOException {
        sendRedirect(location, SC_FOUND, true);
    }

    @Override
    public void sendRedirect(String location, boolean clearBuffer) throws IOException {
        sendRedirect(location, SC_FOUND, clearBuffer);
    }

    @Override
    public void sendRedirect(String location, int status) throws IOException {
        sendRedirect(location, status, true);
    }

    @Override
    public void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
        if (isIncluded()) {
            return;
        }
        requireUncommitted();
        if (clearBuffer) {
            restart();
        }
        this.status = status;
        headers.set("Location", location, beneath);
        end(NOTHING);
    }

    private void restart() {
        finish();
        body.clear();
        writer = null;
        writerEncoding = null;
        streamTaken = false;
    }

    private void end(byte[] lastBytes) {
        finish();
        body.write(lastBytes, 0, lastBytes.length);
        body.close();
        ended = true;
    }

    private void requireUncommitted() {
        if (isCommitted()) {
            throw new IllegalStateException("The response is committed and cannot be changed");
        }
    }

    @Override
    public boolean isCommitted() {
        return ended || flushed || body.isStreaming();
    }

    /** Fixes status and headers. They are sent with the next bytes, since many frameworks flush a response that is complete. */
    @Override
    public void flushBuffer() {
        finish();
        body.flush();
        flushed = body.isFlushed();
    }

    @Override
    public void resetBuffer() {
        requireUncommitted();
        finish();
        body.clear();
    }

    @Override
    public void reset() {
        if (isIncluded()) {
            return;
        }
        requireUncommitted();
        restart();
        discard();
        status = SC_OK;
        announced = -1;
        headers.clear();
        cookies.clear();
    }

    @Override
    public void setBufferSize(int size) {
        // FilterSettings sets how much is buffered
    }

    @Override
    public void setContentLength(int length) {
        setContentLengthLong(length);
    }

    /** Sent only with a streamed response. Otherwise the length of the body is known. */
    @Override
    public void setContentLengthLong(long length) {
        if (!isFixed()) {
            announced = length;
        }
    }

    @Override
    public void addCookie(Cookie cookie) {
        if (!isFixed()) {
            cookies.add(cookie);
        }
    }

    @Override
    public void setHeader(String name, @Nullable String value) {
        if (!isFixed() && !isSetElsewhere(name, value)) {
            headers.set(name, value, beneath);
        }
    }

    @Override
    public void addHeader(String name, @Nullable String value) {
        if (value != null && !isFixed() && !isSetElsewhere(name, value)) {
            headers.add(name, value);
        }
    }

    private boolean isSetElsewhere(String name, @Nullable String value) {
        if (name.equalsIgnoreCase(Payload.CONTENT_TYPE)) {
            setContentType(value);
            return true;
        }
        if (name.equalsIgnoreCase(CONTENT_LENGTH)) {
            setContentLengthLong(value == null ? -1 : Long.parseLong(value));
            return true;
        }
        return false;
    }

    @Override
    public void setIntHeader(String name, int value) {
        setHeader(name, Integer.toString(value));
    }

    @Override
    public void addIntHeader(String name, int value) {
        addHeader(name, Integer.toString(value));
    }

    @Override
    public void setDateHeader(String name, long date) {
        setHeader(name, HTTP_DATE.format(Instant.ofEpochMilli(date)));
    }

    @Override
    public void addDateHeader(String name, long date) {
        addHeader(name, HTTP_DATE.format(Instant.ofEpochMilli(date)));
    }

    @Override
    public boolean containsHeader(String name) {
        return !getHeaders(name).isEmpty();
    }

    @Override
    public @Nullable String getHeader(String name) {
        return getHeaders(name).stream().findFirst().orElse(null);
    }

    @Override
    public Collection<String> getHeaders(String name) {
        return headers.values(name, beneath);
    }

    @Override
    public Collection<String> getHeaderNames() {
        Collection<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        names.addAll(beneath.getHeaderNames());
        names.addAll(headers.names());
        return names;
    }
}
