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

/** An SLF4J logger. Libraries never log below warnings, even if the level is lower, because their debug entries contain whole requests. */
final class EntryLogger extends LegacyAbstractLogger implements LoggingEventAware {

    private static final long serialVersionUID = 1L;
    private static final String OURS = "dev.semel.";

    /** Loggers that are off: they quote requests in complaints about them, and the server reports the same errors without quotes. */
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

    /** Receives entries with key-value pairs. */
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
