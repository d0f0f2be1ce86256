/** Benchmarks that measure Semel and its peers in one run. */
@NullMarked
package dev.semel.bench;

import org.jspecify.annotations.NullMarked;
