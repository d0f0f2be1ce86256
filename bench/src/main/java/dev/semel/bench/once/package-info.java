/** The benchmark of calls and fingerprints: {@code semel bench once}. */
@NullMarked
package dev.semel.bench.once;

import org.jspecify.annotations.NullMarked;
