/**
 * {@code Idempotency-Key} for HTTP, independent of a web framework: headers, payload fingerprints, errors and recorded responses.
 * Integrations start at {@link dev.semel.http.HttpOnce}. The package {@code dev.semel.http.servlet} has the filter for servlet containers.
 */
@NullMarked
package dev.semel.http;

import org.jspecify.annotations.NullMarked;
