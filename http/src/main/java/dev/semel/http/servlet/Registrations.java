package dev.semel.http.servlet;

import dev.semel.once.Once;
import jakarta.servlet.FilterConfig;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The idempotency filters of a web application. Of those that match a request, only the first one acts on it. */
final class Registrations {

    private static final String ATTRIBUTE = Registrations.class.getName();
    private static final Collection<String> ALL = List.of("/*");

    private final List<Registration> all = new CopyOnWriteArrayList<>();

    private record Registration(String name, Once once, Collection<String> patterns) {

        boolean overlaps(Registration other) {
            return patterns.stream()
                    .anyMatch(pattern -> other.patterns.stream().anyMatch(that -> overlap(pattern, that)));
        }
    }

    static Registrations of(ServletContext context) {
        synchronized (context) {
            Registrations registrations = (Registrations) context.getAttribute(ATTRIBUTE);
            if (registrations == null) {
                registrations = new Registrations();
                context.setAttribute(ATTRIBUTE, registrations);
            }
            return registrations;
        }
    }

    /** @throws ServletException if a filter with another store matches the same requests */
    void add(FilterConfig config, Once once) throws ServletException {
        Registration added = new Registration(config.getFilterName(), once, patterns(config));
        for (Registration other : all) {
            if (!other.once.sharesStoreWith(once) && other.overlaps(added)) {
                throw new ServletException(
                        "The idempotency filters " + other.name + " " + other.patterns + " and "
                                + added.name + " " + added.patterns
                                + " have different stores and match the same requests: use one store, or disjoint URL patterns");
            }
        }
        all.add(added);
    }

    void remove(Once once) {
        all.removeIf(registration -> registration.once == once);
    }

    private static Collection<String> patterns(FilterConfig config) {
        FilterRegistration registration = config.getServletContext().getFilterRegistration(config.getFilterName());
        return registration == null || !registration.getServletNameMappings().isEmpty()
                ? ALL
                : registration.getUrlPatternMappings();
    }

    private static boolean overlap(String pattern, String other) {
        if (!pattern.startsWith("/") || !other.startsWith("/")) {
            return true; // an extension, on any path
        }
        boolean isPrefix = pattern.endsWith("/*");
        boolean isOtherPrefix = other.endsWith("/*");
        String path = isPrefix ? pattern.substring(0, pattern.length() - 1) : pattern + "/";
        String otherPath = isOtherPrefix ? other.substring(0, other.length() - 1) : other + "/";
        return path.equals(otherPath)
                || (isPrefix && otherPath.startsWith(path))
                || (isOtherPrefix && path.startsWith(otherPath));
    }
}
