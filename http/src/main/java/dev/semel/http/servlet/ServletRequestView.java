package dev.semel.http.servlet;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.http.Payload;
import dev.semel.http.WebRequest;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.Part;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Adapts a servlet request to {@link WebRequest}. */
public final class ServletRequestView implements WebRequest {

    private final HttpServletRequest request;

    public ServletRequestView(HttpServletRequest request) {
        this.request = request;
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
        return request.getInputStream();
    }

    @Override
    public byte @Nullable [] parts(int limit) throws IOException {
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
        Encoded encoded = new Encoded();
        for (Part part : parts) {
            if (part.getSize() > limit - encoded.size()) {
                return new byte[limit + 1];
            }
            encoded.add(part.getName());
            encoded.add(part.getSubmittedFileName());
            encoded.add(part.getContentType());
            try (InputStream in = part.getInputStream()) {
                encoded.add(in.readAllBytes());
            }
        }
        return encoded.toByteArray();
    }

    @Override
    public byte @Nullable [] form(int limit) {
        if (!Payload.isForm(header(Payload.CONTENT_TYPE))) {
            return null;
        }
        Encoded encoded = new Encoded();
        for (Map.Entry<String, String[]> parameter : request.getParameterMap().entrySet()) {
            for (String value : parameter.getValue()) {
                encoded.add(parameter.getKey());
                encoded.add(value);
            }
            if (encoded.size() > limit) {
                break;
            }
        }
        return encoded.size() == 0 ? null : encoded.toByteArray();
    }

    /** Fields with their lengths, so that different fields never have the same encoding. */
    private static final class Encoded extends ByteArrayOutputStream {

        void add(@Nullable String field) {
            if (field == null) {
                writeBytes(new byte[] {-1});
            } else {
                add(field.getBytes(UTF_8));
            }
        }

        void add(byte[] field) {
            writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(field.length).array());
            writeBytes(field);
        }
    }
}
