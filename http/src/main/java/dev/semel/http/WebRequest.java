package dev.semel.http;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request as {@link HttpOnce} reads it. Implemented by integrations with web frameworks. */
public interface WebRequest {

    /** Returns the method, such as {@code POST}. */
    String method();

    /** Returns the path as it was sent, percent-encoded. */
    String path();

    /** Returns the query as it was sent; null if there is none. */
    @Nullable String query();

    /** Returns all values of a header, in order; empty if it was not sent. */
    List<String> headers(String name);

    /** Returns the first value of a header; null if it was not sent. */
    @Nullable String header(String name);

    /** Returns the announced length of the body in bytes; -1 if none was announced. */
    long contentLength();

    /** Returns the stream of the body. */
    InputStream body() throws IOException;

    /**
     * Parses a multipart body. Called before {@link #body()}.
     *
     * @param limit the largest size in bytes
     * @return an encoding of the parts that different parts never have in common; null if the body is no multipart body, or the handler has to parse it from the stream
     * @throws RejectedException if the parts exceed the limit
     */
    default byte @Nullable [] parts(int limit) throws IOException, RejectedException {
        return null;
    }

    /**
     * Returns an encoding of the parameters of a form that different parameters never have in common. Called after {@link #body()} was found to be empty, which it is if a filter in
     * front has asked for a parameter.
     *
     * @param limit the largest size in bytes
     * @return null if the body is no form, or has no parameters
     * @throws RejectedException if the parameters exceed the limit
     */
    default byte @Nullable [] form(int limit) throws RejectedException {
        return null;
    }
}
