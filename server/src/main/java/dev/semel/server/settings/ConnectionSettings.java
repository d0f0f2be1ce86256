package dev.semel.server.settings;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How clients connect.
 *
 * @param most how many connections there may be
 * @param requestTimeout how long a client may take to send the head of a request, or to read the response
 * @param tls certificate and key; null for plain HTTP
 */
public record ConnectionSettings(
        int most, Duration requestTimeout, @Nullable PemFiles tls) {}
