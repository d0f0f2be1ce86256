package dev.semel.server;

import dev.semel.document.Transactions;
import dev.semel.http.FilterSettings;
import dev.semel.http.Idempotency;
import dev.semel.http.OpenTelemetryTracing;
import dev.semel.http.Tracing;
import dev.semel.http.servlet.IdempotencyFilter;
import dev.semel.once.Once;
import dev.semel.server.auth.AuthFilter;
import dev.semel.server.auth.DevMode;
import dev.semel.server.auth.LoopbackGuard;
import dev.semel.server.auth.Tokens;
import dev.semel.server.metrics.Metrics;
import dev.semel.server.metrics.RequestMeters;
import dev.semel.server.openapi.ApiPages;
import dev.semel.server.ops.IdempotencyApi;
import dev.semel.server.ops.OperatorApi;
import dev.semel.server.ops.Sweeps;
import dev.semel.server.settings.PemFiles;
import dev.semel.server.settings.ServerSettings;
import dev.semel.server.web.Api;
import dev.semel.server.web.App;
import dev.semel.server.web.BodyBudget;
import dev.semel.server.web.Caller;
import dev.semel.server.web.ClientTxIds;
import dev.semel.server.web.Cors;
import dev.semel.server.web.ErrorFilter;
import dev.semel.server.web.OutcomeLog;
import dev.semel.server.web.Routes;
import dev.semel.server.web.SecurityHeaders;
import dev.semel.server.web.SlowClients;
import dev.semel.server.web.Sockets;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.admin.StoreAdmin.Cleanup;
import dev.semel.store.admin.Sweeper;
import dev.semel.store.internal.UniqueIds;
import dev.semel.store.spi.OrderedStore;
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

/** An HTTP server with all systems on one port. */
public final class Server implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Server.class);
    private static final int MOST_HEADER_BYTES = 16 << 10;
    private static final int BODY_SHARE = 16; // of the heap: parsing a body takes several times its size
    private static final Duration BODY_WAIT = Duration.ofMillis(100);

    /** Paths are split before they are decoded, so an encoded slash is not ambiguous. {@link ErrorResponses} rejects paths that are. */
    private static final UriCompliance PATHS =
            UriCompliance.DEFAULT.with("SEMEL", Violation.AMBIGUOUS_PATH_SEPARATOR, Violation.AMBIGUOUS_PATH_ENCODING);

    private static final int MOST_UNACCEPTED = 1024; // clients beyond this retry their connect after a second
    private static final long IDLE_MILLIS = 30_000;
    private static final long LONGEST_SHUTDOWN_IDLE_MILLIS = 1000;
    private static final long SHUTDOWN_IDLE_SHARE = 20; // of the stop timeout

    private final Storage storage;
    private final Metrics metrics;
    private final org.eclipse.jetty.server.Server jetty;
    private final ServerConnector connector;
    private final UniqueIds ids;
    private final Health health;
    private final HomePage home;
    private final Sweeper sweeper;
    private final List<App> apps;
    private final @Nullable DevMode devMode;
    private final Sockets sockets;
    private final SlowClients slowClients;
    private final Cors cors;
    private final @Nullable Tls tls;
    private final String host;
    private int port;

    private Server(ServerSettings settings, Storage storage, Time time, Function<Apps, List<App>> apps) {
        this.storage = storage;
        this.ids = new UniqueIds(time);
        this.metrics = new Metrics(storage.meters());
        OrderedStore store = storage.store();
        StoreAdmin admin = storage.admin();
        this.host = settings.host();
        this.cors = new Cors(settings.corsOrigins());
        Transactions transactions = new Transactions(store, time);
        Once once = new Once(transactions, time, settings.once(), metrics.once());
        Routes routes = new Routes();
        this.health = new Health(store, time);
        this.devMode = settings.tokens() == null ? new DevMode(time) : null;
        OutboxFiles outbox = new OutboxFiles();
        PageFiles pages = new PageFiles(devMode != null, routes, outbox);
        this.home = new HomePage(devMode != null, routes, pages);
        health.declare(routes);
        metrics.declare(routes);
        home.declare(routes);
        new IdempotencyApi(store, admin).declare(routes);
        if (devMode != null) {
            devMode.declare(routes);
        }
        Runnable mismatchListener =
                metrics.counter("semel.settlement.mismatches", "Duplicates of settlements that had another payload");
        this.apps = apps.apply(new Apps(store, transactions, time, metrics.once(), mismatchListener, settings.apps()));
        this.apps.forEach(app -> app.declare(routes));
        List<Sweeper.Task> tasks =
                this.apps.stream().flatMap(app -> app.sweepTasks().stream()).toList();
        this.sweeper = new Sweeper(admin, time, tasks, (cleanups, complete) -> swept(cleanups, complete, metrics));
        new OperatorApi(transactions, admin, settings.once(), this.apps).declare(routes);
        new Sweeps(admin, sweeper).declare(routes);
        new ApiPages(routes).declare(routes);
        outbox.declare(routes);
        pages.declare(routes);

        RequestMeters requests = new RequestMeters(metrics, routes, health::doubt);
        this.jetty = new org.eclipse.jetty.server.Server(threads());
        this.slowClients = new SlowClients(settings.connections().requestTimeout());
        PemFiles pems = settings.connections().tls();
        this.tls = pems == null ? null : new Tls(pems, time);
        this.connector = connector(settings);
        jetty.addConnector(connector);
        jetty.addBean(new NetworkConnectionLimit(settings.connections().most(), connector));
        jetty.setStopTimeout(settings.stopTimeout().toMillis());
        jetty.setErrorHandler(new ErrorResponses(ids, cors, requests::rejected));
        Tokens tokens = devMode != null ? devMode.tokens() : settings.tokens();
        AuthFilter auth = new AuthFilter(routes, Objects.requireNonNull(tokens), time);
        this.sockets = new Sockets(routes, auth, time, settings.sockets());
        metrics.gauge("semel.ready", "1 if the server was ready at the latest check", () -> health.wasReady() ? 1 : 0);
        metrics.gauge("semel.websockets.open", "Open WebSockets", sockets::count);
        jetty.setHandler(new GracefulHandler(context(requests, routes, transactions, once, auth)));
    }

    private ServletContextHandler context(
            RequestMeters requests, Routes routes, Transactions transactions, Once once, AuthFilter auth) {
        ServletContextHandler context = new ServletContextHandler("/", ServletContextHandler.NO_SESSIONS);
        context.setErrorHandler(new ErrorResponses(ids, cors, status -> {}));
        context.getServletHandler().setDecodeAmbiguousURIs(true);
        add(context, requests);
        add(context, slowClients);
        add(context, new ErrorFilter(ids));
        if (devMode != null) {
            add(context, new LoopbackGuard(host, cors));
        }
        add(context, cors.preflights());
        add(context, auth);
        add(context, sockets);
        JettyWebSocketServletContainerInitializer.configure(context, null);
        add(context, new BodyBudget(Runtime.getRuntime().maxMemory() / BODY_SHARE, BODY_WAIT));
        add(
                context,
                new IdempotencyFilter(
                        once,
                        request -> {
                            Caller caller = Caller.of(request);
                            return caller == null ? null : caller.user();
                        },
                        request -> routes.find(request)
                                .map(match -> match.route().idempotency(request))
                                .orElse(Idempotency.NONE),
                        FilterSettings.DEFAULTS,
                        new OutcomeLog(tracing(routes))));
        ServletHolder api = new ServletHolder(new Api(routes, transactions, auth));
        api.setAsyncSupported(true);
        context.addServlet(api, "/");
        return context;
    }

    /** Traces only if an agent has installed a tracer. */
    private static Tracing tracing(Routes routes) {
        OpenTelemetry telemetry = GlobalOpenTelemetry.get();
        return telemetry.getTracerProvider() == TracerProvider.noop()
                ? Tracing.NONE
                : new OpenTelemetryTracing(
                        telemetry,
                        request -> routes.find(request.method(), request.path())
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
        http.setHeaderCacheSize(0); // keys make headers unique, so cache lookups cost more than they save
        http.setUriCompliance(PATHS);
        http.addCustomizer(slowClients);
        ServerConnector made;
        if (tls == null) {
            made = new ServerConnector(jetty, new HttpConnectionFactory(http));
        } else {
            http.addCustomizer(new SecureRequestCustomizer(false)); // accept any host name
            made = new ServerConnector(jetty, tls.factory(), new HttpConnectionFactory(http));
        }
        http.addCustomizer(new SecurityHeaders()); // runs after SecureRequestCustomizer, which determines the scheme
        http.addCustomizer(new ClientTxIds());
        http.addCustomizer(cors);
        made.addEventListener(slowClients);
        made.setHost(settings.host());
        made.setPort(settings.port());
        made.setIdleTimeout(IDLE_MILLIS);
        made.setAcceptQueueSize(MOST_UNACCEPTED);
        made.setShutdownIdleTimeout(
                Math.min(LONGEST_SHUTDOWN_IDLE_MILLIS, settings.stopTimeout().toMillis() / SHUTDOWN_IDLE_SHARE));
        return made;
    }

    /**
     * Opens the store and starts a server.
     *
     * @throws StoreException if the store cannot be opened
     * @throws UncheckedIOException if the port is not available
     */
    public static Server start(ServerSettings settings) {
        Time time = Time.system();
        return start(settings, Storage.open(settings.store(), time), time, Apps::all);
    }

    /** Starts a server on a store. The server closes the store when it is closed, or fails to start. */
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
        server.sweeper.every(settings.sweepPeriod(), Server::sweepFailed);
        server.home.listensOn(server.url());
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
        entry.log(complete ? "swept" : "sweep interrupted");
    }

    private static void sweepFailed(RuntimeException e) {
        LOG.atWarn().addKeyValue("error", e.getMessage()).log("The sweep failed");
    }

    private static String reason(Exception e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return String.valueOf(cause.getMessage());
    }

    /** Returns the port that the server listens on. */
    public int port() {
        return port;
    }

    /** Returns the base URL of the server. */
    public String url() {
        return (tls == null ? "http://" : "https://") + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    /** Requests {@code /health/ready} from this server, and returns the status of the response. */
    public int requestReadiness() throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection) URI.create(url() + "/health/ready").toURL().openConnection();
        if (tls != null) {
            tls.trust((HttpsURLConnection) connection);
        }
        return connection.getResponseCode();
    }

    /** Returns shell commands to try, in order. */
    public List<String> commands() {
        return home.commands();
    }

    /** Returns the number of database connections by state; empty if the store uses none. */
    public Map<String, Integer> connections() {
        return storage.connections().get();
    }

    /** Returns the dev mode, which issues tokens; null if authentication is set up. */
    @Nullable DevMode devMode() {
        return devMode;
    }

    /** Stops accepting requests, completes those in progress within the stop timeout, and closes the store. */
    @Override
    public void close() {
        health.stopping();
        sweeper.close();
        apps.forEach(App::stop);
        if (tls != null) {
            tls.stop();
        }
        connector.close();
        long startedAt = System.nanoTime();
        try {
            sockets.stop().get(jetty.getStopTimeout(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            LOG.atWarn().log("Some WebSockets were not closed within the stop timeout");
        }
        try {
            long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedAt);
            jetty.setStopTimeout(Math.max(connector.getShutdownIdleTimeout(), jetty.getStopTimeout() - took));
            jetty.stop();
        } catch (Exception e) {
            LOG.atWarn().setCause(e).log("Some requests did not complete within the stop timeout");
        }
        storage.close();
        metrics.close();
        if (port != 0) {
            LOG.atInfo().log("stopped");
        }
    }
}
