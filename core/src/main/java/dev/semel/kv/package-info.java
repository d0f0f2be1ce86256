/** Short ids on a key-value store without an atomic create. */
@NullMarked
package dev.semel.kv;

import org.jspecify.annotations.NullMarked;
