/**
 * Ids: how things get their names. Start at {@link dev.semel.id.IdSchemes}.
 *
 * <p>A scheme is a layout of up to 128 bits and one spelling of them. It mints, checks and reads ids; a registry says which
 * scheme each kind of thing uses and checks what comes in at the border.
 */
@NullMarked
package dev.semel.id;

import org.jspecify.annotations.NullMarked;
