/** {@code Idempotency-Key} for Jakarta Servlet containers. Start at {@link dev.semel.http.servlet.IdempotencyFilter}. */
@NullMarked
package dev.semel.http.servlet;

import org.jspecify.annotations.NullMarked;
