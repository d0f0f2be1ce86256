/** Every write exactly once. {@link dev.semel.once.Fingerprint} tells a retry from another request under the same key. */
@NullMarked
package dev.semel.once;

import org.jspecify.annotations.NullMarked;
