/**
 * Collections of documents with composite keys, secondary indexes and optimistic transactions. Start at
 * {@link dev.semel.document.DocumentCollection}.
 */
@NullMarked
package dev.semel.document;

import org.jspecify.annotations.NullMarked;
