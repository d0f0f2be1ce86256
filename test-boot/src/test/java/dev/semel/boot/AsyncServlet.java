package dev.semel.boot;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.ExecutorService;

/** Charges the order in the body with {@code startAsync}. Completes the request itself, or dispatches it. */
class AsyncServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;

    private final transient Charges charges;
    private final transient ExecutorService background;

    AsyncServlet(Charges charges, ExecutorService background) {
        this.charges = charges;
        this.background = background;
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (request.getDispatcherType() == DispatcherType.ASYNC) {
            response.getWriter().print(request.getAttribute("charged"));
            return;
        }
        String order = request.getReader().readLine();
        boolean completes = request.getRequestURI().endsWith("/complete");
        AsyncContext async = request.startAsync();
        background.execute(() -> {
            String charged = charges.charge(order);
            if (completes) {
                print(async, charged);
                async.complete();
            } else {
                request.setAttribute("charged", charged);
                async.dispatch();
            }
        });
    }

    private static void print(AsyncContext async, String text) {
        try {
            async.getResponse().getWriter().print(text);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
