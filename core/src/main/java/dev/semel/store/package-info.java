/**
 * What a store has to be able to do, and what is built on that once for all stores: transactions, and commits whose answer was
 * lost.
 *
 * <p>Users meet {@link dev.semel.store.MemoryStore}, {@link dev.semel.store.Transactions} and
 * {@link dev.semel.store.Document}; who writes a store implements {@link dev.semel.store.Store}.
 */
@NullMarked
package dev.semel.store;

import org.jspecify.annotations.NullMarked;
