/** The shared store: everything in a PostgreSQL database that any number of servers use at once. */
@NullMarked
package dev.semel.postgres;

import org.jspecify.annotations.NullMarked;
