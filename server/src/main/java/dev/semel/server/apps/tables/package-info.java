/** Game tables: ids, settlements and player actions, as described in the ACEE standard for ids and keys. */
@NullMarked
package dev.semel.server.apps.tables;

import org.jspecify.annotations.NullMarked;
