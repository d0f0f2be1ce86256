/** Benchmarks: Semel and its peers, measured side by side in one run. */
@NullMarked
package dev.semel.bench;

import org.jspecify.annotations.NullMarked;
