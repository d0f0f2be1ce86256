/** What calls feel of a sweep. */
@NullMarked
package dev.semel.bench.sweep;

import org.jspecify.annotations.NullMarked;
