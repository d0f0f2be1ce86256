/** How fast ids are minted, checked and read. */
@NullMarked
package dev.semel.bench.ids;

import org.jspecify.annotations.NullMarked;
