/** The benchmark of the server: {@code semel bench http}. */
@NullMarked
package dev.semel.bench.http;

import org.jspecify.annotations.NullMarked;
