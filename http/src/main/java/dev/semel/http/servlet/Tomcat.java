package dev.semel.http.servlet;

import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.http.HttpServletResponse;
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
        ServletResponse innermost = response;
        while (innermost instanceof ServletResponseWrapper wrapper) {
            innermost = wrapper.getResponse();
        }
        return innermost.getClass().getName().startsWith(PACKAGE) ? view(response) : response;
    }

    private static HttpServletResponse view(HttpServletResponse response) {
        Class<?>[] types = {HttpServletResponse.class};
        return (HttpServletResponse)
                Proxy.newProxyInstance(Tomcat.class.getClassLoader(), types, (proxy, method, arguments) -> {
                    try {
                        return method.invoke(response, arguments);
                    } catch (InvocationTargetException e) {
                        throw Objects.requireNonNull(e.getCause());
                    }
                });
    }
}
