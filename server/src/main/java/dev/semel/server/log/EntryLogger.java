package dev.semel.server.log;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;
import org.slf4j.event.LoggingEvent;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.LoggingEventAware;

/** A logger with a name. The libraries are heard from warnings on, whatever is asked for: below, they tell all that requests hold. */
final class EntryLogger extends LegacyAbstractLogger implements LoggingEventAware {

    private static final long serialVersionUID = 1L;
    private static final String OURS = "dev.semel.";

    /** What complains about requests quotes them, and they are told of otherwise. */
    private static final List<String> QUOTING = List.of("org.eclipse.jetty.http.", "org.eclipse.jetty.util.HostPort");

    private final boolean ours;
    private final boolean quoting;

    EntryLogger(String name) {
        this.name = name;
        this.ours = name.startsWith(OURS);
        this.quoting = QUOTING.stream().anyMatch(name::startsWith);
    }

    private boolean isLogged(Level level) {
        Level least = Log.level();
        boolean raised = !ours && least != Level.ERROR;
        return !quoting && level.toInt() >= (raised ? Level.WARN : least).toInt();
    }

    @Override
    public boolean isTraceEnabled() {
        return isLogged(Level.TRACE);
    }

    @Override
    public boolean isDebugEnabled() {
        return isLogged(Level.DEBUG);
    }

    @Override
    public boolean isInfoEnabled() {
        return isLogged(Level.INFO);
    }

    @Override
    public boolean isWarnEnabled() {
        return isLogged(Level.WARN);
    }

    @Override
    public boolean isErrorEnabled() {
        return isLogged(Level.ERROR);
    }

    /** Entries with members of their own come this way. */
    @Override
    public void log(LoggingEvent event) {
        List<KeyValuePair> members = event.getKeyValuePairs();
        Log.write(
                name,
                event.getLevel(),
                MessageFormatter.basicArrayFormat(event.getMessage(), event.getArgumentArray()),
                members == null ? List.of() : members,
                event.getThrowable());
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level level,
            @Nullable Marker marker,
            String pattern,
            Object @Nullable [] arguments,
            @Nullable Throwable thrown) {
        Log.write(name, level, MessageFormatter.basicArrayFormat(pattern, arguments), List.of(), thrown);
    }

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
        return null;
    }
}
