/** Records in collections, as described in the SimpleDB id specification. */
@NullMarked
package dev.semel.server.collections;

import org.jspecify.annotations.NullMarked;
