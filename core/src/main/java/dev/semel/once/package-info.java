/** Runs operations once per idempotency key, however often they are called. Start at {@link dev.semel.once.Once}. */
@NullMarked
package dev.semel.once;

import org.jspecify.annotations.NullMarked;
