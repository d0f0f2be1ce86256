/**
 * Documents found by their keys: created, never overwritten, updated by version, and read in the order of any of their keys.
 * Start at {@link dev.semel.record.Records}.
 */
@NullMarked
package dev.semel.record;

import org.jspecify.annotations.NullMarked;
