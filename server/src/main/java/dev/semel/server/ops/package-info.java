/** What operators see and do: keys of users, sweeps, and the record of what was done by whom. */
@NullMarked
package dev.semel.server.ops;

import org.jspecify.annotations.NullMarked;
