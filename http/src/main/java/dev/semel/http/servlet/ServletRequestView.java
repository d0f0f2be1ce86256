package dev.semel.http.servlet;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.http.Payload;
import dev.semel.http.RejectedException;
import dev.semel.http.WebRequest;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.Part;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Adapts a servlet request to {@link WebRequest}. */
public final class ServletRequestView implements WebRequest {

    private final HttpServletRequest request;
    private final byte @Nullable [] read;

    public ServletRequestView(HttpServletRequest request) {
        this(request, null);
    }

    /** @param read the body, if it was read in an earlier dispatch of the request */
    ServletRequestView(HttpServletRequest request, byte @Nullable [] read) {
        this.request = request;
        this.read = read;
    }

    @Override
    public String method() {
        return request.getMethod();
    }

    @Override
    public String path() {
        return request.getRequestURI();
    }

    @Override
    public @Nullable String query() {
        return request.getQueryString();
    }

    @Override
    public List<String> headers(String name) {
        return Collections.list(request.getHeaders(name));
    }

    @Override
    public @Nullable String header(String name) {
        return request.getHeader(name);
    }

    @Override
    public long contentLength() {
        return request.getContentLengthLong();
    }

    @Override
    public InputStream body() throws IOException {
        return read == null ? request.getInputStream() : new ByteArrayInputStream(read);
    }

    @Override
    public byte @Nullable [] parts(int limit) throws IOException, RejectedException {
        if (!Payload.isMultipart(header(Payload.CONTENT_TYPE))) {
            return null;
        }
        Collection<Part> parts;
        try {
            parts = request.getParts();
        } catch (IOException | ServletException | RuntimeException e) {
            return null; // malformed, or the servlet has no multipart configuration and reads the stream
        }
        if (parts.isEmpty()) {
            return null;
        }
        Fields fields = new Fields(limit);
        for (Part part : parts) {
            fields.require(part.getSize());
            addHeaders(part, fields);
            try (InputStream in = part.getInputStream()) {
                fields.add(in.readAllBytes());
            }
        }
        return fields.encoded();
    }

    /** Adds all headers of a part, and what containers derive from them. Names are sorted, because containers may return them in any order. */
    private static void addHeaders(Part part, Fields fields) throws RejectedException {
        fields.write(part.getName());
        fields.write(part.getSubmittedFileName());
        fields.write(part.getContentType());
        SortedSet<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        names.addAll(part.getHeaderNames());
        fields.write(Integer.toString(names.size()));
        for (String name : names) {
            Collection<String> values = part.getHeaders(name);
            fields.add(name.toLowerCase(Locale.ROOT));
            fields.write(Integer.toString(values.size()));
            for (String value : values) {
                fields.add(value);
            }
        }
    }

    @Override
    public byte @Nullable [] form(int limit) throws RejectedException {
        Map<String, String[]> parameters =
                Payload.isForm(header(Payload.CONTENT_TYPE)) ? request.getParameterMap() : Map.of();
        int count =
                parameters.values().stream().mapToInt(values -> values.length).sum();
        if (count <= Form.pairs(request.getQueryString())) {
            return null; // only the query has parameters: a filter in front may have read the form from the stream
        }
        Fields fields = new Fields(limit);
        for (Map.Entry<String, String[]> parameter : parameters.entrySet()) {
            for (String value : parameter.getValue()) {
                fields.add(parameter.getKey());
                fields.add(value);
            }
        }
        return fields.encoded();
    }

    /** Fields with their lengths, so that different fields never have the same encoding. */
    private static final class Fields {

        private final ByteArrayOutputStream encoded = new ByteArrayOutputStream();
        private long left;

        Fields(int limit) {
            this.left = limit;
        }

        void add(String field) throws RejectedException {
            add(field.getBytes(UTF_8));
        }

        void add(byte[] field) throws RejectedException {
            require(field.length);
            left -= field.length;
            write(field);
        }

        /** Writes a field that does not count towards the limit, because another field contains it. */
        void write(@Nullable String field) {
            if (field == null) {
                encoded.write(-1);
            } else {
                write(field.getBytes(UTF_8));
            }
        }

        private void write(byte[] field) {
            encoded.writeBytes(
                    ByteBuffer.allocate(Integer.BYTES).putInt(field.length).array());
            encoded.writeBytes(field);
        }

        /** Checks that a field of a length fits. */
        void require(long length) throws RejectedException {
            if (length > left) {
                throw RejectedException.payloadTooLarge();
            }
        }

        byte[] encoded() {
            return encoded.toByteArray();
        }
    }
}
