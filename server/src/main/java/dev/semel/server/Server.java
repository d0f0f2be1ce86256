package dev.semel.server;

import dev.semel.http.FilterSettings;
import dev.semel.http.Idempotency;
import dev.semel.http.IdempotencyFilter;
import dev.semel.http.OpenTelemetryTracing;
import dev.semel.http.Tracing;
import dev.semel.once.Once;
import dev.semel.server.auth.AuthFilter;
import dev.semel.server.auth.DevMode;
import dev.semel.server.auth.LoopbackGuard;
import dev.semel.server.auth.Tokens;
import dev.semel.server.metrics.Metrics;
import dev.semel.server.metrics.RequestMeters;
import dev.semel.server.openapi.ApiPages;
import dev.semel.server.ops.KeyDesk;
import dev.semel.server.ops.Sweeps;
import dev.semel.server.settings.PemFiles;
import dev.semel.server.settings.ServerSettings;
import dev.semel.server.web.Api;
import dev.semel.server.web.App;
import dev.semel.server.web.BodyRoom;
import dev.semel.server.web.Caller;
import dev.semel.server.web.Edge;
import dev.semel.server.web.Routes;
import dev.semel.server.web.SecurityHeaders;
import dev.semel.server.web.SlowClients;
import dev.semel.server.web.Sockets;
import dev.semel.store.Cleanup;
import dev.semel.store.Store;
import dev.semel.store.StoreException;
import dev.semel.store.Sweeper;
import dev.semel.store.Time;
import dev.semel.store.Transactions;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.TracerProvider;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import javax.net.ssl.HttpsURLConnection;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.ee11.websocket.server.config.JettyWebSocketServletContainerInitializer;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http.UriCompliance.Violation;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/** Everything behind one port. */
public final class Server implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Server.class);
    private static final int MOST_HEADER_BYTES = 16 << 10;
    private static final int BODY_SHARE = 16; // of the memory: what is made of a body takes several times its size
    private static final Duration BODY_PATIENCE = Duration.ofMillis(100);

    /** Ambiguous paths are refused, and ErrorAnswers says so; but an encoded slash is none to us, who decode behind the slashes. */
    private static final UriCompliance PATHS =
            UriCompliance.DEFAULT.with("SEMEL", Violation.AMBIGUOUS_PATH_SEPARATOR, Violation.AMBIGUOUS_PATH_ENCODING);

    private static final int MOST_UNACCEPTED = 1024; // who does not fit in tries again after a second
    private static final long IDLE_MILLIS = 30_000;
    private static final long SHUTDOWN_IDLE_MILLIS = 1000; // for connections on which nothing is under way

    private final Storage storage;
    private final Metrics metrics;
    private final org.eclipse.jetty.server.Server jetty;
    private final ServerConnector connector;
    private final Health health;
    private final Home home;
    private final Sweeper sweeper;
    private final List<App> apps;
    private final @Nullable DevMode devMode;
    private final Sockets sockets;
    private final SlowClients slowClients;
    private final @Nullable Tls tls;
    private final String host;
    private int port;

    private Server(ServerSettings settings, Storage storage, Time time, Function<Apps, List<App>> apps) {
        this.storage = storage;
        this.metrics = new Metrics(storage.meters());
        Store store = storage.store();
        this.host = settings.host();
        Transactions transactions = new Transactions(store, time);
        Once once = new Once(transactions, time, settings.once(), metrics.once());
        Routes routes = new Routes();
        this.health = new Health(store, time);
        this.devMode = settings.tokens() == null ? new DevMode(time) : null;
        this.home = new Home(devMode != null, routes);
        health.declare(routes);
        metrics.declare(routes);
        home.declare(routes);
        new KeyRecords(store).declare(routes);
        if (devMode != null) {
            devMode.declare(routes);
        }
        this.apps = apps.apply(new Apps(store, transactions, time, metrics.once(), settings.apps()));
        this.apps.forEach(app -> app.declare(routes));
        List<Sweeper.Task> tasks =
                this.apps.stream().flatMap(app -> app.sweepTasks().stream()).toList();
        this.sweeper = new Sweeper(store, time, tasks, (cleanups, complete) -> swept(cleanups, complete, metrics));
        new KeyDesk(transactions, settings.once(), this.apps).declare(routes);
        new Sweeps(store, sweeper).declare(routes);
        new ApiPages(routes).declare(routes);

        RequestMeters requests = new RequestMeters(metrics, routes, health::doubt);
        this.jetty = new org.eclipse.jetty.server.Server(threads());
        this.slowClients = new SlowClients(settings.connections().requestTimeout());
        PemFiles pems = settings.connections().tls();
        this.tls = pems == null ? null : new Tls(pems, time);
        this.connector = connector(settings);
        jetty.addConnector(connector);
        jetty.addBean(new NetworkConnectionLimit(settings.connections().most(), connector));
        jetty.setStopTimeout(settings.stopTimeout().toMillis());
        jetty.setErrorHandler(new ErrorAnswers(requests::refused));
        Tokens tokens = devMode != null ? devMode.tokens() : settings.tokens();
        AuthFilter auth = new AuthFilter(routes, Objects.requireNonNull(tokens), time);
        this.sockets = new Sockets(routes, auth, time, settings.sockets());
        metrics.gauge("semel.ready", "1 if it was ready a moment ago", () -> health.wasReady() ? 1 : 0);
        metrics.gauge("semel.websockets.open", "WebSockets that are open", sockets::count);
        jetty.setHandler(new GracefulHandler(context(requests, routes, transactions, once, auth)));
    }

    private ServletContextHandler context(
            RequestMeters requests, Routes routes, Transactions transactions, Once once, AuthFilter auth) {
        ServletContextHandler context = new ServletContextHandler("/", ServletContextHandler.NO_SESSIONS);
        context.setErrorHandler(new ErrorAnswers(status -> {}));
        context.getServletHandler().setDecodeAmbiguousURIs(true);
        add(context, requests);
        add(context, slowClients);
        add(context, new Edge());
        if (devMode != null) {
            add(context, new LoopbackGuard(host));
        }
        add(context, auth);
        add(context, sockets);
        JettyWebSocketServletContainerInitializer.configure(context, null);
        add(context, new BodyRoom(Runtime.getRuntime().maxMemory() / BODY_SHARE, BODY_PATIENCE));
        add(
                context,
                new IdempotencyFilter(
                        once,
                        request -> {
                            Caller caller = Caller.of(request);
                            return caller == null ? null : caller.user();
                        },
                        request -> routes.find(request)
                                .map(match -> match.route().idempotency())
                                .orElse(Idempotency.NONE),
                        FilterSettings.DEFAULTS,
                        tracing(routes)));
        ServletHolder api = new ServletHolder(new Api(routes, transactions, auth));
        api.setAsyncSupported(true);
        context.addServlet(api, "/");
        return context;
    }

    /** Nobody follows requests where no agent has brought somebody who does. */
    private static Tracing tracing(Routes routes) {
        OpenTelemetry telemetry = GlobalOpenTelemetry.get();
        return telemetry.getTracerProvider() == TracerProvider.noop()
                ? Tracing.NONE
                : new OpenTelemetryTracing(
                        telemetry,
                        request -> routes.find(request)
                                .map(match -> match.route().pattern())
                                .orElse(null));
    }

    private static void add(ServletContextHandler context, Filter filter) {
        FilterHolder holder = new FilterHolder(filter);
        holder.setAsyncSupported(true);
        context.addFilter(holder, "/*", EnumSet.of(DispatcherType.REQUEST));
    }

    private static QueuedThreadPool threads() {
        QueuedThreadPool threads = new QueuedThreadPool();
        threads.setName("semel-http");
        threads.setVirtualThreadsExecutor(VirtualThreads.getNamedVirtualThreadsExecutor("semel-http-"));
        return threads;
    }

    private ServerConnector connector(ServerSettings settings) {
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        http.setRequestHeaderSize(MOST_HEADER_BYTES);
        http.setHeaderCacheSize(0); // requests differ by their keys: looking them up costs more than it saves
        http.setUriCompliance(PATHS);
        http.addCustomizer(slowClients);
        ServerConnector made;
        if (tls == null) {
            made = new ServerConnector(jetty, new HttpConnectionFactory(http));
        } else {
            http.addCustomizer(new SecureRequestCustomizer(false)); // whatever name it is asked by
            made = new ServerConnector(jetty, tls.factory(), new HttpConnectionFactory(http));
        }
        http.addCustomizer(new SecurityHeaders()); // behind the one that knows whether the request is secure
        made.addEventListener(slowClients);
        made.setHost(settings.host());
        made.setPort(settings.port());
        made.setIdleTimeout(IDLE_MILLIS);
        made.setAcceptQueueSize(MOST_UNACCEPTED);
        made.setShutdownIdleTimeout(SHUTDOWN_IDLE_MILLIS);
        return made;
    }

    /**
     * Opens the store and starts.
     *
     * @throws StoreException if the store cannot be opened
     * @throws UncheckedIOException if the port cannot be had
     */
    public static Server start(ServerSettings settings) {
        Time time = Time.system();
        return start(settings, Storage.open(settings.store(), time), time, Apps::all);
    }

    /** Starts on a store, which is closed with the server. */
    static Server start(ServerSettings settings, Storage storage, Time time, Function<Apps, List<App>> apps) {
        Server server = new Server(settings, storage, time, apps);
        try {
            server.jetty.start();
        } catch (Exception e) {
            server.close();
            throw new UncheckedIOException(
                    "Cannot listen on " + settings.host() + " port " + settings.port() + ": " + reason(e),
                    e instanceof IOException io ? io : new IOException(e));
        }
        server.port = server.connector.getLocalPort();
        server.sweeper.every(settings.sweepPeriod(), Server::notSwept);
        server.home.listensOn((server.tls == null ? "" : "https://") + "localhost:" + server.port);
        server.slowClients.watch(server.connector.getScheduler());
        if (server.tls != null) {
            server.tls.watch();
        }
        LOG.atInfo()
                .addKeyValue("url", server.url())
                .addKeyValue("mode", server.devMode == null ? "auth" : "dev")
                .log("started");
        return server;
    }

    private static void swept(List<Cleanup> cleanups, boolean complete, Metrics metrics) {
        LoggingEventBuilder entry = LOG.atInfo();
        metrics.sweeps().ended(complete);
        for (Cleanup cleanup : cleanups) {
            entry = entry.addKeyValue(cleanup.table(), cleanup.deleted());
            metrics.sweeps().swept(cleanup.table(), cleanup.deleted());
        }
        entry.log(complete ? "swept" : "swept in part");
    }

    private static void notSwept(RuntimeException e) {
        LOG.atWarn().addKeyValue("error", e.getMessage()).log("What is past its time was not let go");
    }

    private static String reason(Exception e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return String.valueOf(cause.getMessage());
    }

    /** The port it listens on. */
    public int port() {
        return port;
    }

    /** Where it is. */
    public String url() {
        return (tls == null ? "http://" : "https://") + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    /** Asks itself whether it is ready: the status that is answered. */
    public int askWhetherReady() throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection) URI.create(url() + "/health/ready").toURL().openConnection();
        if (tls != null) {
            tls.trust((HttpsURLConnection) connection);
        }
        return connection.getResponseCode();
    }

    /** Commands to try. */
    public List<String> commands() {
        return home.commands();
    }

    /** How its connections to a database are used now, by name; empty if there are none. */
    public Map<String, Integer> connections() {
        return storage.figures().get();
    }

    /** Who gives tokens away; null if nobody does. */
    @Nullable DevMode devMode() {
        return devMode;
    }

    /** Takes no more requests, lets those under way come to their end within a time, and closes the store. */
    @Override
    public void close() {
        health.stopping();
        sweeper.close();
        apps.forEach(App::stop);
        if (tls != null) {
            tls.stop();
        }
        connector.close(); // nobody new comes in
        long begun = System.nanoTime();
        try {
            sockets.stop().get(jetty.getStopTimeout(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            LOG.atWarn().log("Not all WebSockets came to their end");
        }
        try {
            long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
            jetty.setStopTimeout(Math.max(SHUTDOWN_IDLE_MILLIS, jetty.getStopTimeout() - took));
            jetty.stop();
        } catch (Exception e) {
            LOG.atWarn().setCause(e).log("Not all requests came to their end");
        }
        storage.close();
        metrics.close();
        if (port != 0) {
            LOG.atInfo().log("stopped");
        }
    }
}
