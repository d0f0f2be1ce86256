/** The server: start and stop, health checks, TLS, and the choice of the store. */
@NullMarked
package dev.semel.server;

import org.jspecify.annotations.NullMarked;
