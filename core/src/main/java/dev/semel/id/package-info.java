/**
 * Schemes of ids. Start at {@link dev.semel.id.IdSchemes}.
 *
 * <p>A scheme is a layout of up to 160 bits and one encoding of them as text. It mints, checks and parses ids. A registry binds each kind of
 * id to a scheme, and checks ids from outside.
 */
@NullMarked
package dev.semel.id;

import org.jspecify.annotations.NullMarked;
