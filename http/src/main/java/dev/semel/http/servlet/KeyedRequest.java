package dev.semel.http.servlet;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.http.Payload;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.Part;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UnsupportedEncodingException;
import java.nio.charset.Charset;
import java.util.Collection;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request whose body was read by the filter. Each run of the handler has a new one, which reads the body from its start. */
final class KeyedRequest extends HttpServletRequestWrapper {

    private static final String FORM = "application/x-www-form-urlencoded";

    private final byte[] body;
    private @Nullable String encoding;
    private @Nullable ServletInputStream stream;
    private @Nullable BufferedReader reader;
    private boolean formRead;
    private @Nullable Map<String, String[]> parameters;
    private @Nullable ServletRequest parametersOf;

    KeyedRequest(HttpServletRequest request, byte[] body) {
        super(request);
        this.body = body;
    }

    @Override
    public ServletInputStream getInputStream() {
        if (reader != null) {
            throw new IllegalStateException("getReader() was called for this request: read the body from the reader");
        }
        if (stream == null) {
            stream = new Body(body);
        }
        return stream;
    }

    @Override
    public BufferedReader getReader() throws IOException {
        if (stream != null) {
            throw new IllegalStateException("getInputStream() was called for this request: read the body from the stream");
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
        return super.getContentLengthLong() < 0 ? -1 : body.length;
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

    /** Returns the parameters of the query, or of the queries while a resource is included, followed by those of a posted form. */
    @Override
    public Map<String, String[]> getParameterMap() {
        if (parameters == null || parametersOf != getRequest()) {
            parametersOf = getRequest();
            parameters = withForm(super.getParameterMap());
        }
        return parameters;
    }

    private boolean isForm() {
        String type = getContentType();
        return type != null
                && type.regionMatches(true, 0, FORM, 0, FORM.length())
                && getMethod().equals("POST");
    }

    private Map<String, String[]> withForm(Map<String, String[]> ofQuery) {
        formRead = formRead || (isForm() && stream == null && reader == null);
        if (!formRead) {
            return ofQuery;
        }
        try {
            return Form.added(ofQuery, body, charset(UTF_8));
        } catch (UnsupportedEncodingException | IllegalArgumentException e) {
            throw new IllegalStateException("The form is malformed", e);
        }
    }

    /** @throws ServletException always: the body was read before, byte by byte, and the container cannot take it apart any more */
    @Override
    public Collection<Part> getParts() throws ServletException {
        throw new ServletException(
                "A request with an Idempotency-Key has no parts: read its body from getInputStream()");
    }

    /** @throws ServletException always, as {@link #getParts()} does */
    @Override
    public Part getPart(String name) throws ServletException {
        getParts();
        throw new AssertionError("there are no parts");
    }

    /** False: what is done later, by others, cannot be recorded when the handler returns. */
    @Override
    public boolean isAsyncSupported() {
        return false;
    }

    @Override
    public AsyncContext startAsync() {
        throw new IllegalStateException("A request with an Idempotency-Key is completed when its handler returns");
    }

    @Override
    public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
        return startAsync();
    }

    /** The bytes of a body as a stream. */
    private static final class Body extends ServletInputStream {

        private final ByteArrayInputStream bytes;

        Body(byte[] body) {
            this.bytes = new ByteArrayInputStream(body);
        }

        @Override
        public int read() {
            return bytes.read();
        }

        @Override
        public int read(byte[] buffer, int offset, int length) {
            return bytes.read(buffer, offset, length);
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

        @Override
        public void setReadListener(ReadListener listener) {
            throw new IllegalStateException("The request is not asynchronous");
        }
    }
}
