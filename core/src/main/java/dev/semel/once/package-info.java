/**
 * Operations that happen once per key, however often they are asked for. Start at {@link dev.semel.once.Once}.
 */
@NullMarked
package dev.semel.once;

import org.jspecify.annotations.NullMarked;
