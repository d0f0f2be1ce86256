/** The collections API, as described in the SimpleDB id specification. */
@NullMarked
package dev.semel.server.apps.collections;

import org.jspecify.annotations.NullMarked;
