/**
 * {@code Idempotency-Key} for HTTP, without a web framework: headers, payload fingerprints, errors, and what is recorded of a response.
 * {@link dev.semel.http.HttpOnce} is where an integration starts; for servlet containers there is {@code dev.semel.http.servlet}.
 */
@NullMarked
package dev.semel.http;

import org.jspecify.annotations.NullMarked;
