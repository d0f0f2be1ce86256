/** What the PostgreSQL store costs, beside plain SQL and DBOS: {@code semel bench postgres}. */
@NullMarked
package dev.semel.bench.postgres;

import org.jspecify.annotations.NullMarked;
