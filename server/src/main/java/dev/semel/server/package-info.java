/** The server: what is behind its port, and how it is started and stopped. */
@NullMarked
package dev.semel.server;

import org.jspecify.annotations.NullMarked;
