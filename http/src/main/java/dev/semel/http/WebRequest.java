package dev.semel.http;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is read of a request. Implemented by an integration with a web framework. */
public interface WebRequest {

    /** The method, such as {@code POST}. */
    String method();

    /** The path as it was sent, with its escapes. */
    String path();

    /** The query as it was sent; null if there is none. */
    @Nullable String query();

    /** All values of a header, in their order; empty if it was not sent. */
    List<String> headers(String name);

    /** The first value of a header; null if it was not sent. */
    @Nullable String header(String name);

    /** The announced length of the body in bytes; -1 if it is unknown. */
    long contentLength();

    /** The body. */
    InputStream body() throws IOException;
}
