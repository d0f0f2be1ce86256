/**
 * Tests for authors of a store: the suite that every store must pass, a clock that tests control, and a store that injects faults. Start
 * with {@link dev.semel.testkit.StoreContract}.
 */
@NullMarked
package dev.semel.testkit;

import org.jspecify.annotations.NullMarked;
