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

/** Counts requests by declared route. No label comes from a client: requests that match no route are counted under one label. */
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
     * @param routes all routes of the server
     * @param whenUnavailable called after each response with status 503
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

    /** The meters of one route. Each is registered when it is first used. */
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

    /** Whether the request continues asynchronously; if so, it is counted when it completes. */
    private boolean continues(HttpServletRequest request, HttpServletResponse response, long startedAt) {
        if (!request.isAsyncStarted()) {
            return false;
        }
        try {
            request.getAsyncContext().addListener(new WhenDone(request, response, startedAt));
            streams.increment();
            return true;
        } catch (IllegalStateException e) {
            return false; // it has just completed
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

    /** Counts a request that was rejected before it reached this filter. */
    public void rejected(int status) {
        none.count(status);
    }

    /** Counts an asynchronous request when it completes. */
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
            // onComplete follows
        }

        @Override
        public void onError(AsyncEvent event) {
            // onComplete follows
        }

        @Override
        public void onStartAsync(AsyncEvent event) {
            event.getAsyncContext().addListener(this);
        }
    }
}
