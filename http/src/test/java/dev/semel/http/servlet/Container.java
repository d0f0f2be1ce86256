package dev.semel.http.servlet;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.MultipartConfigElement;
import jakarta.servlet.Servlet;
import jakarta.servlet.ServletContainerInitializer;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Wrapper;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.ErrorPage;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.apache.tomcat.util.threads.ThreadPoolExecutor;
import org.eclipse.jetty.ee11.servlet.ErrorPageErrorHandler;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** The servlet containers on which the filter is tested. */
enum Container {
    JETTY {
        @Override
        Running start(Application application) throws Exception {
            boolean async = application.async();
            Server server = new Server();
            ServerConnector connector = new ServerConnector(server);
            connector.setHost(HOST);
            server.addConnector(connector);
            ServletContextHandler context = new ServletContextHandler(ServletContextHandler.SESSIONS);
            for (Filter filter : application.filters()) {
                FilterHolder holder = new FilterHolder(filter);
                holder.setAsyncSupported(async);
                context.addFilter(holder, "/*", EnumSet.allOf(DispatcherType.class));
            }
            ServletHolder holder = new ServletHolder(application.servlet());
            holder.setAsyncSupported(async);
            holder.getRegistration().setMultipartConfig(application.multipart() ? MULTIPART : null);
            context.addServlet(holder, "/*");
            context.addServletContainerInitializer(application.initializer());
            ErrorPageErrorHandler errors = new ErrorPageErrorHandler();
            errors.addErrorPage(HttpServletResponse.SC_INTERNAL_SERVER_ERROR, ERRORS);
            context.setErrorHandler(errors);
            server.setHandler(context);
            server.start();
            return new Running(connector.getLocalPort(), server::stop, () -> true);
        }
    },
    TOMCAT {
        @Override
        Running start(Application application) throws Exception {
            boolean async = application.async();
            Tomcat tomcat = new Tomcat();
            tomcat.setBaseDir(System.getProperty("java.io.tmpdir"));
            tomcat.setHostname(HOST);
            tomcat.setPort(0);
            tomcat.getConnector().setProperty("address", HOST);
            Context context = tomcat.addContext("", null);
            ((StandardContext) context).setClearReferencesRmiTargets(false); // these two need access to closed packages
            ((StandardContext) context).setClearReferencesThreadLocals(false);
            for (int i = 0; i < application.filters().size(); i++) {
                add(context, application.filters().get(i), async, "filter" + i);
            }
            Wrapper wrapper = Tomcat.addServlet(context, "servlet", application.servlet());
            wrapper.setAsyncSupported(async);
            wrapper.setMultipartConfigElement(application.multipart() ? MULTIPART : null);
            wrapper.addMapping("/*");
            context.addServletContainerInitializer(application.initializer(), Set.of());
            ErrorPage errors = new ErrorPage();
            errors.setErrorCode(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
            errors.setLocation(ERRORS);
            context.addErrorPage(errors);
            tomcat.start();
            ThreadPoolExecutor threads = (ThreadPoolExecutor)
                    tomcat.getConnector().getProtocolHandler().getExecutor();
            return new Running(
                    tomcat.getConnector().getLocalPort(), () -> stop(tomcat), () -> threads.getActiveCount() == 0);
        }

        private void add(Context context, Filter filter, boolean async, String name) {
            FilterDef definition = new FilterDef();
            definition.setFilterName(name);
            definition.setAsyncSupported(Boolean.toString(async));
            definition.setFilter(filter);
            definition.setFilterClass(filter.getClass().getName());
            context.addFilterDef(definition);
            FilterMap map = new FilterMap();
            map.setFilterName(name);
            map.addURLPattern("/*");
            for (DispatcherType type : DispatcherType.values()) {
                map.setDispatcher(type.name());
            }
            context.addFilterMap(map);
        }

        private void stop(Tomcat tomcat) throws LifecycleException {
            tomcat.stop();
            tomcat.destroy();
        }
    };

    /** The path of the error page for status 500. */
    static final String ERRORS = "/errors";

    private static final MultipartConfigElement MULTIPART = new MultipartConfigElement("");

    private static final String HOST = "127.0.0.1";

    /**
     * An application with one servlet for all paths.
     *
     * @param filters in front of the servlet, in this order, for all dispatcher types
     * @param initializer may register more filters behind them
     */
    record Application(
            List<Filter> filters,
            boolean multipart,
            boolean async,
            Servlet servlet,
            ServletContainerInitializer initializer) {}

    abstract Running start(Application application) throws Exception;

    /** @param isIdle whether no thread handles a request or an event; known on Tomcat only */
    record Running(int port, AutoCloseable stop, BooleanSupplier isIdle) implements AutoCloseable {

        /** Stops the server. Jetty waits without limit for some requests that do not end. */
        @Override
        public void close() {
            assertTimeoutPreemptively(Duration.ofSeconds(30), stop::close, "The server does not stop");
        }
    }
}
