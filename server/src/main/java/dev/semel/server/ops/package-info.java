/** The operator API, and the lookup of idempotency keys by their users. */
@NullMarked
package dev.semel.server.ops;

import org.jspecify.annotations.NullMarked;
