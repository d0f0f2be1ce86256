/** The benchmark of the PostgreSQL store: {@code semel bench postgres}. */
@NullMarked
package dev.semel.bench.postgres;

import org.jspecify.annotations.NullMarked;
