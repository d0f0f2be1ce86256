package dev.semel.http.servlet;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What differs in Tomcat from other containers and cannot be asked for in terms of the Servlet API. */
final class Tomcat {

    private static final System.Logger LOG = System.getLogger(IdempotencyFilter.class.getName());

    private static final String PACKAGE = "org.apache.catalina.";

    private Tomcat() {}

    /** Returns whether Tomcat made a request, however it is wrapped. */
    static boolean made(ServletRequest request) {
        ServletRequest innermost = request;
        while (innermost instanceof ServletRequestWrapper wrapper) {
            innermost = wrapper.getRequest();
        }
        return isClass(innermost.getClass().getName());
    }

    /** Returns whether Tomcat made a response, however it is wrapped. */
    static boolean made(HttpServletResponse response) {
        return isClass(innermost(response).getClass().getName());
    }

    private static boolean isClass(String name) {
        return name.startsWith(PACKAGE);
    }

    /**
     * Returns a response that a captured response may wrap. After a forward, Tomcat searches the wrapped responses for its own and closes
     * it, so nothing could be sent afterwards. Its response is therefore hidden behind a view. Other containers must find their own.
     */
    static HttpServletResponse hidden(HttpServletResponse response) {
        return made(response) ? view(response) : response;
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
        Object connected = connected(response);
        if (connected == null) {
            return;
        }
        try {
            connected.getClass().getMethod("setSuspended", boolean.class).invoke(connected, false);
            connected.getClass().getMethod("resetError").invoke(connected);
            request.removeAttribute(RequestDispatcher.ERROR_EXCEPTION);
        } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.log(Level.DEBUG, "Tomcat sends its own page", e);
        }
    }

    /** Closes the connection of a response of which a part was sent, where only a container's thread could do so by an exception. */
    static void closeNow(HttpServletResponse response) throws IOException {
        Object connected = connected(response);
        if (connected == null) {
            response.sendError(-1); // on Jetty, this closes the connection
            return;
        }
        try {
            Object coyote = connected.getClass().getMethod("getCoyoteResponse").invoke(connected);
            Method action = Arrays.stream(
                            Objects.requireNonNull(coyote).getClass().getMethods())
                    .filter(method -> method.getName().equals("action"))
                    .findFirst()
                    .orElseThrow();
            Object closeNow = Arrays.stream(action.getParameterTypes()[0].getEnumConstants())
                    .filter(constant -> constant.toString().equals("CLOSE_NOW"))
                    .findFirst()
                    .orElseThrow();
            action.invoke(coyote, closeNow, new IOException("The response was not recorded"));
        } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.log(Level.WARNING, "A response that was not recorded is not cut off", e);
        }
    }

    /** Returns Tomcat's internal response; null if there is none, or it is not accessible. */
    private static @Nullable Object connected(HttpServletResponse response) {
        ServletResponse innermost = innermost(response);
        if (!isClass(innermost.getClass().getName())) {
            return null;
        }
        try {
            Field field = innermost.getClass().getDeclaredField("response");
            field.setAccessible(true);
            return field.get(innermost);
        } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.log(Level.DEBUG, "Tomcat is not accessible", e);
            return null;
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
