/** Texts with short ids, as described in the Textpile specification of post ids. */
@NullMarked
package dev.semel.server.apps.textpile;

import org.jspecify.annotations.NullMarked;
