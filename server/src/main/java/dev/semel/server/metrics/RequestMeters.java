package dev.semel.server.metrics;

import dev.semel.server.web.Routes;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.IdentityHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts requests by the route that answers them, as it was declared. Nothing that a client chooses becomes a label: whatever no route
 * answers is counted together.
 */
public final class RequestMeters extends HttpFilter {

    private static final long serialVersionUID = 1L;

    private static final int MOST_STATUS = 599;
    private static final int UNAVAILABLE = 503;

    private final transient IdentityHashMap<Routes.Route, RouteMeters> byRoute = new IdentityHashMap<>();
    private final transient RouteMeters none;
    private final transient LongAdder inFlight = new LongAdder();
    private final transient LongAdder streams = new LongAdder();
    private final transient Runnable whenUnavailable;

    /**
     * @param routes all that there are
     * @param whenUnavailable is told when a request was answered with 503
     */
    public RequestMeters(Metrics metrics, Routes routes, Runnable whenUnavailable) {
        MeterRegistry registry = metrics.registry();
        this.whenUnavailable = whenUnavailable;
        this.none = new RouteMeters(registry, "other", "none");
        for (Routes.Route route : routes.all()) {
            byRoute.put(route, new RouteMeters(registry, route.method(), route.pattern()));
        }
        metrics.gauge("semel.http.in.flight", "Requests in progress", inFlight::sum);
        metrics.gauge("semel.http.streams.open", "Requests in progress whose response is a stream", streams::sum);
    }

    /** The meters of one route, made when it is first asked for. */
    private static final class RouteMeters {

        private final MeterRegistry registry;
        private final String method;
        private final String pattern;
        private final AtomicReferenceArray<@Nullable Counter> byStatus = new AtomicReferenceArray<>(MOST_STATUS + 1);
        private volatile @Nullable Timer time;

        RouteMeters(MeterRegistry registry, String method, String pattern) {
            this.registry = registry;
            this.method = method;
            this.pattern = pattern;
        }

        void count(int status) {
            int index = Math.max(0, Math.min(status, MOST_STATUS));
            Counter counter = byStatus.get(index);
            if (counter == null) {
                counter = Counter.builder("semel.http.requests")
                        .description("Completed requests")
                        .tags("method", method, "route", pattern, "status", Integer.toString(index))
                        .register(registry);
                byStatus.set(index, counter);
            }
            counter.increment();
        }

        void record(long nanos) {
            Timer timer = time;
            if (timer == null) {
                timer = Metrics.histogram("semel.http.request.seconds")
                        .description("Duration of requests")
                        .tags("method", method, "route", pattern)
                        .register(registry);
                time = timer;
            }
            timer.record(nanos, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        long startedAt = System.nanoTime();
        inFlight.increment();
        try {
            chain.doFilter(request, response);
        } finally {
            if (!continues(request, response, startedAt)) {
                end(request, response, startedAt);
            }
        }
    }

    /** Whether it goes on after its handler has returned: then it is counted later. */
    private boolean continues(HttpServletRequest request, HttpServletResponse response, long startedAt) {
        if (!request.isAsyncStarted()) {
            return false;
        }
        try {
            request.getAsyncContext().addListener(new WhenDone(request, response, startedAt));
            streams.increment();
            return true;
        } catch (IllegalStateException e) {
            return false; // it has come to its end just now
        }
    }

    private void end(HttpServletRequest request, HttpServletResponse response, long startedAt) {
        inFlight.decrement();
        Routes.Match match = Routes.known(request);
        RouteMeters meters = match == null ? none : byRoute.getOrDefault(match.route(), none);
        meters.count(response.getStatus());
        meters.record(System.nanoTime() - startedAt);
        if (response.getStatus() == UNAVAILABLE) {
            whenUnavailable.run();
        }
    }

    /** A request was rejected before it came here. */
    public void rejected(int status) {
        none.count(status);
    }

    /** Counts a request when it is done that goes on after its handler has returned. */
    private final class WhenDone implements AsyncListener {

        private final HttpServletRequest request;
        private final HttpServletResponse response;
        private final long startedAt;

        WhenDone(HttpServletRequest request, HttpServletResponse response, long startedAt) {
            this.request = request;
            this.response = response;
            this.startedAt = startedAt;
        }

        @Override
        public void onComplete(AsyncEvent event) {
            streams.decrement();
            end(request, response, startedAt);
        }

        @Override
        public void onTimeout(AsyncEvent event) {
            // it is completed next
        }

        @Override
        public void onError(AsyncEvent event) {
            // it is completed next
        }

        @Override
        public void onStartAsync(AsyncEvent event) {
            event.getAsyncContext().addListener(this);
        }
    }
}
