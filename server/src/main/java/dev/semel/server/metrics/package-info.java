/** What is counted and measured, and how Prometheus reads it. */
@NullMarked
package dev.semel.server.metrics;

import org.jspecify.annotations.NullMarked;
