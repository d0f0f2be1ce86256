/** The server on loopback, under load from another process. */
@NullMarked
package dev.semel.bench.http;

import org.jspecify.annotations.NullMarked;
