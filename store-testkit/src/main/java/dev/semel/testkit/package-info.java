/**
 * For people who write a store: the suite that every store has to pass, a time that tests set, and a store that fails on demand.
 * Start at {@link dev.semel.testkit.StoreContract}.
 */
@NullMarked
package dev.semel.testkit;

import org.jspecify.annotations.NullMarked;
