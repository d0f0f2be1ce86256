package example;

import dev.semel.http.Idempotency;
import dev.semel.http.servlet.IdempotencyFilter;
import dev.semel.once.Once;
import dev.semel.store.IfAbandoned;
import jakarta.servlet.ServletContext;

/** The code that adds the filter to a web application. */
public final class WebApplication {

    private WebApplication() {}

    // page: filter
    public static void addIdempotency(ServletContext application, Once once) {
        IdempotencyFilter filter = new IdempotencyFilter(
                once,
                request -> request.getRemoteUser(), // keys belong to a user
                request -> Idempotency.leased(IfAbandoned.FREEZE)); // for each route: mode and policy
        filter.register(application, "idempotency", "/*");
    }
    // end
}
