/** What Semel's own stores share. Not for others: it may change at any time. */
@NullMarked
package dev.semel.store.internal;

import org.jspecify.annotations.NullMarked;
