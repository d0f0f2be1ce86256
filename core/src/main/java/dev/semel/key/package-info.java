/**
 * Keys made of parts: declared once as a template, checked then, and used to build, split and range over keys. Start at
 * {@link dev.semel.key.KeyTemplate}.
 */
@NullMarked
package dev.semel.key;

import org.jspecify.annotations.NullMarked;
