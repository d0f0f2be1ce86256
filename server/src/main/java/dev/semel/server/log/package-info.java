/** Logging: JSON objects on standard error, for the server and its libraries. */
@NullMarked
package dev.semel.server.log;

import org.jspecify.annotations.NullMarked;
