package dev.semel.server.settings;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of client connections.
 *
 * @param most maximum number of connections
 * @param requestTimeout how long a client may take to send the head of a request, or to read the response
 * @param tls certificate and key; null for plain HTTP
 */
public record ConnectionSettings(
        int most, Duration requestTimeout, @Nullable PemFiles tls) {}
