/**
 * What a store author implements. {@link dev.semel.store.spi.OnceStore} alone is a complete store; documents, quotas, commit order and
 * caller-managed transactions are interfaces on top of it, as is administration in {@code dev.semel.store.admin}.
 */
@NullMarked
package dev.semel.store.spi;

import org.jspecify.annotations.NullMarked;
