/** How fast operations are run once, and fingerprints are computed. */
@NullMarked
package dev.semel.bench.once;

import org.jspecify.annotations.NullMarked;
