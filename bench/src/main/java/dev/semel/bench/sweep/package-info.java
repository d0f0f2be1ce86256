/** The benchmark of calls during a sweep: {@code semel bench sweep}. */
@NullMarked
package dev.semel.bench.sweep;

import org.jspecify.annotations.NullMarked;
