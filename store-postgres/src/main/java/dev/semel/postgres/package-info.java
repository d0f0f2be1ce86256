/** The shared store: idempotency records and documents in a PostgreSQL database, which any number of servers use at the same time. */
@NullMarked
package dev.semel.postgres;

import org.jspecify.annotations.NullMarked;
