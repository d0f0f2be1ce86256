/**
 * Interfaces that a store implements. {@link dev.semel.store.spi.OnceStore} alone is a complete store. Documents, quotas, commit order and
 * caller-managed transactions are further interfaces; so is administration, in {@code dev.semel.store.admin}.
 */
@NullMarked
package dev.semel.store.spi;

import org.jspecify.annotations.NullMarked;
