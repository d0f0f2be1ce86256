/** Metrics of the server in the Prometheus text format. */
@NullMarked
package dev.semel.server.metrics;

import org.jspecify.annotations.NullMarked;
