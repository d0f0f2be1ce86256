/**
 * A durable outbox: HTTP requests are stored first and sent later, each with one idempotency key, until the API confirms that it has
 * processed them. Applications start at {@link dev.semel.outbox.Outbox}.
 */
@NullMarked
package dev.semel.outbox;

import org.jspecify.annotations.NullMarked;
