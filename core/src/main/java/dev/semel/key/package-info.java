/** Composed keys: a template, checked when it is declared, builds and splits keys. Start at {@link dev.semel.key.KeyTemplate}. */
@NullMarked
package dev.semel.key;

import org.jspecify.annotations.NullMarked;
