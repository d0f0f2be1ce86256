/**
 * Documents found by their keys: created, never overwritten, updated by version, and read in the order of any of their keys.
 * Start at {@link dev.semel.document.DocumentCollection}.
 */
@NullMarked
package dev.semel.document;

import org.jspecify.annotations.NullMarked;
