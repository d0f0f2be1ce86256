/** What the PostgreSQL store costs, next to plain SQL and to DBOS: {@code semel bench postgres}. */
@NullMarked
package dev.semel.bench.postgres;

import org.jspecify.annotations.NullMarked;
