/** Crash runs of any length: {@code semel torture}. */
@NullMarked
package dev.semel.bench.torture;

import org.jspecify.annotations.NullMarked;
