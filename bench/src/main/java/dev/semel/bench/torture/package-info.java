/** Crash runs from the command line: {@code semel torture}. */
@NullMarked
package dev.semel.bench.torture;

import org.jspecify.annotations.NullMarked;
