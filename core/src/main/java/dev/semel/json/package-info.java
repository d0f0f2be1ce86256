/**
 * Checked JSON and its canonical form. Start at {@link dev.semel.json.Json}.
 *
 * <p>Texts that differ only in white space, escapes, the order of members and the notation of numbers have the same canonical form, so
 * their hashes can be compared.
 */
@NullMarked
package dev.semel.json;

import org.jspecify.annotations.NullMarked;
