package dev.semel.http.servlet;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Objects;

/** What differs in Tomcat from other containers and cannot be asked for in terms of the Servlet API. */
final class Tomcat {

    private static final String PACKAGE = "org.apache.catalina.";

    private Tomcat() {}

    /** Returns whether Tomcat made a request, however it is wrapped. */
    static boolean made(ServletRequest request) {
        ServletRequest innermost = request;
        while (innermost instanceof ServletRequestWrapper wrapper) {
            innermost = wrapper.getRequest();
        }
        return innermost.getClass().getName().startsWith(PACKAGE);
    }

    /**
     * Returns a response that a captured response may wrap. After a forward, Tomcat searches the wrapped responses for its own and closes
     * it, so nothing could be sent afterwards. Its response is therefore hidden behind a view. Other containers must find their own.
     */
    static HttpServletResponse hidden(HttpServletResponse response) {
        return innermost(response).getClass().getName().startsWith(PACKAGE) ? view(response) : response;
    }

    private static ServletResponse innermost(HttpServletResponse response) {
        ServletResponse innermost = response;
        while (innermost instanceof ServletResponseWrapper wrapper) {
            innermost = wrapper.getResponse();
        }
        return innermost;
    }

    /**
     * Lets a filter respond after the body could not be read. Tomcat then discards what is written and sends its own page, which the Servlet
     * API cannot prevent. If Tomcat's classes are closed or have changed, its page is sent.
     */
    static void resume(HttpServletRequest request, HttpServletResponse response) {
        ServletResponse innermost = innermost(response);
        if (!innermost.getClass().getName().startsWith(PACKAGE)) {
            return;
        }
        try {
            Field field = innermost.getClass().getDeclaredField("response");
            field.setAccessible(true);
            Object connected = Objects.requireNonNull(field.get(innermost));
            connected.getClass().getMethod("setSuspended", boolean.class).invoke(connected, false);
            connected.getClass().getMethod("resetError").invoke(connected);
            request.removeAttribute(RequestDispatcher.ERROR_EXCEPTION);
        } catch (ReflectiveOperationException | RuntimeException e) {
            // Tomcat's page is sent
        }
    }

    private static HttpServletResponse view(HttpServletResponse response) {
        Class<?>[] types = {HttpServletResponse.class};
        return (HttpServletResponse) Proxy.newProxyInstance(
                Tomcat.class.getClassLoader(), types, (proxy, method, arguments) -> {
                    try {
                        return method.invoke(response, arguments);
                    } catch (InvocationTargetException e) {
                        throw Objects.requireNonNull(e.getCause());
                    }
                });
    }
}
