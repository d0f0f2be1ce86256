/** How much slower calls are during a sweep. */
@NullMarked
package dev.semel.bench.sweep;

import org.jspecify.annotations.NullMarked;
