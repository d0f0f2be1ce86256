package dev.semel.http.servlet;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.http.Payload;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UnsupportedEncodingException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The request as one run of a handler gets it. If the filter has read the body, the run reads it from its start. If the body was parsed
 * instead, parameters and parts are those of the container.
 */
final class KeyedRequest extends HttpServletRequestWrapper {

    private static final List<String> CONTAINERS =
            List.of("org.apache.catalina.", "org.eclipse.jetty.", "io.undertow.");

    private final byte @Nullable [] body;
    private final CapturedResponse response;
    private final @Nullable AsyncRun async;
    private @Nullable String encoding;
    private @Nullable ServletInputStream stream;
    private @Nullable BufferedReader reader;
    private boolean formRead;
    private boolean formMalformed;
    private @Nullable Map<String, String[]> parameters;
    private @Nullable ServletRequest parametersOf;

    /**
     * Creates the request of a run.
     *
     * @param body null if it was parsed
     * @param response the response of the same run
     * @param async null if the run is atomic
     */
    KeyedRequest(
            HttpServletRequest request, byte @Nullable [] body, CapturedResponse response, @Nullable AsyncRun async) {
        super(request);
        this.body = body;
        this.response = response;
        this.async = async;
    }

    /** Returns whether the handler has asked for a parameter of a form that is malformed. */
    boolean isFormMalformed() {
        return formMalformed;
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
        if (body == null) {
            return super.getInputStream();
        }
        if (reader != null) {
            throw new IllegalStateException("getReader() was called for this request: read the body from the reader");
        }
        if (stream == null) {
            stream = new Body(body, async);
        }
        return stream;
    }

    @Override
    public BufferedReader getReader() throws IOException {
        if (body == null) {
            return super.getReader();
        }
        if (stream != null) {
            throw new IllegalStateException(
                    "getInputStream() was called for this request: read the body from the stream");
        }
        if (reader == null) {
            String type = getContentType();
            Charset byDefault = type != null && Payload.isJson(type) ? UTF_8 : ISO_8859_1;
            reader = new BufferedReader(new InputStreamReader(new ByteArrayInputStream(body), charset(byDefault)));
        }
        return reader;
    }

    private Charset charset(Charset byDefault) throws UnsupportedEncodingException {
        try {
            String name = getCharacterEncoding();
            return name == null ? byDefault : Charset.forName(name);
        } catch (RuntimeException e) { // containers throw different exceptions for unknown names
            throw new UnsupportedEncodingException("The character encoding is unknown");
        }
    }

    /** Returns the header as it was sent. Jetty's method throws if the character encoding is unknown. */
    @Override
    public @Nullable String getContentType() {
        return getHeader(Payload.CONTENT_TYPE);
    }

    @Override
    public int getContentLength() {
        return (int) getContentLengthLong();
    }

    @Override
    public long getContentLengthLong() {
        long announced = super.getContentLengthLong();
        return body == null || announced < 0 ? announced : body.length;
    }

    @Override
    public @Nullable String getCharacterEncoding() {
        return encoding == null ? super.getCharacterEncoding() : encoding;
    }

    /** Kept here, because the container ignores it once the body was read. */
    @Override
    public void setCharacterEncoding(@Nullable String encoding) throws UnsupportedEncodingException {
        String before = this.encoding;
        this.encoding = encoding;
        try {
            charset(UTF_8);
        } catch (UnsupportedEncodingException e) {
            this.encoding = before;
            throw e;
        }
    }

    @Override
    public void setCharacterEncoding(Charset encoding) {
        this.encoding = encoding.name();
    }

    @Override
    public @Nullable String getParameter(String name) {
        String[] values = getParameterMap().get(name);
        return values == null ? null : values[0];
    }

    @Override
    public String @Nullable [] getParameterValues(String name) {
        String[] values = getParameterMap().get(name);
        return values == null ? null : values.clone();
    }

    @Override
    public Enumeration<String> getParameterNames() {
        return Collections.enumeration(getParameterMap().keySet());
    }

    /** Returns the parameters of the query, or of the queries while a resource is included, followed by those of a form. */
    @Override
    public Map<String, String[]> getParameterMap() {
        if (parameters == null || parametersOf != getRequest()) {
            parametersOf = getRequest();
            parameters = withForm(super.getParameterMap());
        }
        return parameters;
    }

    private Map<String, String[]> withForm(Map<String, String[]> others) {
        formRead = formRead || (isForm() && stream == null && reader == null);
        if (!formRead || body == null) {
            return others;
        }
        try {
            return Form.added(others, body, charset(Tomcat.made(this) ? ISO_8859_1 : UTF_8));
        } catch (UnsupportedEncodingException | CharacterCodingException e) {
            formMalformed = true;
            throw new IllegalStateException("The form is malformed", e);
        }
    }

    /** Whether the container would have parsed the body: all do so for POST, and Jetty for PUT. */
    private boolean isForm() {
        boolean isParsed = getMethod().equals("POST") || (getMethod().equals("PUT") && !Tomcat.made(this));
        return isParsed && Payload.isForm(getContentType());
    }

    /** Returns the asynchronous part of a leased run; null if the run is atomic. */
    @Nullable AsyncRun async() {
        return async;
    }

    /** Returns false for an atomic run, whose transaction ends when its handler returns. */
    @Override
    public boolean isAsyncSupported() {
        if (async == null) {
            return false;
        }
        boolean isSupported = super.isAsyncSupported();
        if (!isSupported && !isAskedByContainer()) {
            async.refuse();
        }
        return isSupported;
    }

    /** Whether the container asks, as it does before each filter of a forward, and not the handler. */
    private static boolean isAskedByContainer() {
        return StackWalker.getInstance()
                .walk(frames -> frames.map(StackWalker.StackFrame::getClassName)
                        .filter(name ->
                                !name.startsWith("jakarta.servlet.") && !name.equals(KeyedRequest.class.getName()))
                        .findFirst()
                        .filter(name -> CONTAINERS.stream().anyMatch(name::startsWith))
                        .isPresent());
    }

    @Override
    public AsyncContext startAsync() {
        return startAsync(this, response, true);
    }

    @Override
    public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
        return startAsync(request, response, false);
    }

    private AsyncContext startAsync(ServletRequest request, ServletResponse response, boolean areOriginal) {
        if (async == null) {
            throw new IllegalStateException(
                    "The route is atomic: its handler has to complete the request before it returns. Use a leased route");
        }
        if (!isAsyncSupported()) {
            throw new IllegalStateException(
                    "The idempotency filter, or another filter or the servlet, was registered without"
                            + " asyncSupported");
        }
        return async.start(super.startAsync(request, response), request, response, areOriginal);
    }

    @Override
    public AsyncContext getAsyncContext() {
        super.getAsyncContext(); // throws if the request is not asynchronous
        return Objects.requireNonNull(async).context();
    }

    /** The bytes of a body as a stream. */
    private static final class Body extends ServletInputStream {

        private final ByteArrayInputStream bytes;
        private final @Nullable AsyncRun async;
        private @Nullable ReadListener listener;
        private volatile boolean isNotified;
        private boolean endNotified;

        Body(byte[] body, @Nullable AsyncRun async) {
            this.bytes = new ByteArrayInputStream(body);
            this.async = async;
        }

        @Override
        public int read() {
            int next = bytes.read();
            notifyEnd();
            return next;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) {
            int count = bytes.read(buffer, offset, length);
            notifyEnd();
            return count;
        }

        @Override
        public int available() {
            return bytes.available();
        }

        @Override
        public boolean isFinished() {
            return bytes.available() == 0;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        /** Notifies a listener that data is available, once, since all of the body is. */
        @Override
        public void setReadListener(ReadListener listener) {
            if (async == null) {
                throw new IllegalStateException("The request is not asynchronous");
            }
            this.listener = listener;
            if (isFinished()) {
                notifyEnd();
                return;
            }
            async.later(
                    () -> {
                        isNotified = true;
                        listener.onDataAvailable();
                        isNotified = false;
                        notifyEnd();
                    },
                    listener::onError);
        }

        /** Notifies the listener of the end, once, and after it has returned from the notification before. */
        private void notifyEnd() {
            if (listener != null && async != null && isFinished() && !isNotified && !endNotified) {
                endNotified = true;
                async.later(listener::onAllDataRead, listener::onError);
            }
        }
    }
}
