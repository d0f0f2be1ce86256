/** How fast operations are run once, and payloads told apart. */
@NullMarked
package dev.semel.bench.once;

import org.jspecify.annotations.NullMarked;
