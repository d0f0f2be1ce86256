package dev.semel.http.servlet;

import dev.semel.http.Problem;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.TimeUnit;

/** Sends errors as {@code application/problem+json}. */
public final class ProblemSender {

    private static final int MOST_DRAINED = 16 << 20;
    private static final int DRAIN_SECONDS = 2;

    private ProblemSender() {}

    /**
     * Sends an error. The content length is left to the container: a response with an announced length is sent at once, before the
     * container knows whether it has to close the connection because the request body was not read.
     */
    public static void send(Problem problem, HttpServletResponse response) throws IOException {
        send(problem, problem.toJson(), response);
    }

    private static void send(Problem problem, byte[] json, HttpServletResponse response) throws IOException {
        response.setStatus(problem.status());
        response.setContentType(Problem.CONTENT_TYPE);
        String retryAfter = problem.retryAfterSeconds();
        if (retryAfter != null) {
            response.setHeader("Retry-After", retryAfter);
        }
        response.getOutputStream().write(json);
    }

    /**
     * Sends an error to a client that may still be sending its body. Most clients read the response only after they have sent the body, so
     * up to {@value #MOST_DRAINED} bytes of it are read and discarded, for up to {@value #DRAIN_SECONDS} seconds.
     */
    public static void sendUnread(Problem problem, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        byte[] json = problem.toJson();
        response.setHeader("Connection", "close");
        response.setContentLength(json.length); // lets the client find the end of the response
        send(problem, json, response);
        response.flushBuffer();
        if (request.getHeader("Expect") == null) {
            byte[] buffer = new byte[8 << 10];
            InputStream body = request.getInputStream();
            long startedAt = System.nanoTime();
            for (int read = 0, count = 0; count >= 0 && read < MOST_DRAINED && !isOver(startedAt); read += count) {
                count = body.read(buffer);
            }
        }
    }

    private static boolean isOver(long startedAt) {
        return System.nanoTime() - startedAt > TimeUnit.SECONDS.toNanos(DRAIN_SECONDS);
    }
}
