package dev.semel.server.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.http.Problem;
import dev.semel.http.servlet.ProblemSender;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Sends errors: as a page to a browser that navigates, and as {@code application/problem+json} to programs. */
public final class ErrorPages {

    /** The media type of pages. */
    public static final String CONTENT_TYPE = "text/html;charset=utf-8";

    private ErrorPages() {}

    /** Sends an error in the format that the request asks for. */
    public static void send(Problem problem, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        response.addHeader("Vary", "Accept");
        if (!isForBrowser(request.getMethod(), request.getHeader("Accept"))) {
            ProblemSender.send(problem, response);
            return;
        }
        response.setStatus(problem.status());
        response.setContentType(CONTENT_TYPE);
        String retryAfter = problem.retryAfterSeconds();
        if (retryAfter != null) {
            response.setHeader("Retry-After", retryAfter);
        }
        response.getOutputStream().write(page(problem));
    }

    /** Whether a request asks for a page. Scripts and programs do not. */
    public static boolean isForBrowser(String method, @Nullable String accept) {
        return (method.equals("GET") || method.equals("HEAD"))
                && accept != null
                && accept.toLowerCase(Locale.ROOT).contains("text/html");
    }

    /** Returns an error as a page. */
    public static byte[] page(Problem problem) {
        String error = Html.escape(problem.error());
        String detail = problem.detail().equals(problem.error())
                ? ""
                : "<p class=\"lead\"><bdi>" + Html.escape(problem.detail()) + "</bdi></p>";
        String main = "<main class=\"sheet\"><p class=\"numeral\">" + problem.status() + "</p><h1>" + error + "</h1>"
                + detail
                + "<p class=\"fine\">Programs get this as JSON, with the code <code>" + Html.escape(problem.code())
                + "</code>.</p><p><a class=\"button\" href=\"/\">Go to the feed</a></p></main>";
        return PageFrame.plain(problem.error(), main).getBytes(UTF_8);
    }
}
