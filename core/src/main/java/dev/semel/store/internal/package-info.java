/** Classes shared by Semel's own stores. Exported to them alone; may change at any time. */
@NullMarked
package dev.semel.store.internal;

import org.jspecify.annotations.NullMarked;
