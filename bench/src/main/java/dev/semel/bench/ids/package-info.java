/** The benchmark of ids: {@code semel bench ids}. */
@NullMarked
package dev.semel.bench.ids;

import org.jspecify.annotations.NullMarked;
