/** Overwritten posts of short ids on a key-value store. */
@NullMarked
package dev.semel.bench.kv;

import org.jspecify.annotations.NullMarked;
