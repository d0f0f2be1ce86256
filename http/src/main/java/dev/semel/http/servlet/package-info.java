/** {@code Idempotency-Key} for servlet containers. Start at {@link dev.semel.http.servlet.IdempotencyFilter}. */
@NullMarked
package dev.semel.http.servlet;

import org.jspecify.annotations.NullMarked;
