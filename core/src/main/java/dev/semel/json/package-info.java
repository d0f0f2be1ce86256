/**
 * JSON that is checked, and its one canonical spelling. Start at {@link dev.semel.json.Json}.
 *
 * <p>Two texts that say the same have the same canonical bytes, whatever their spaces, their escapes and the order of their
 * members; so their hashes can be compared instead of them.
 */
@NullMarked
package dev.semel.json;

import org.jspecify.annotations.NullMarked;
