/** How fast payloads are told apart. */
@NullMarked
package dev.semel.bench.once;

import org.jspecify.annotations.NullMarked;
