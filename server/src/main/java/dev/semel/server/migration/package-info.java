/** The migration of documents to composite keys. */
@NullMarked
package dev.semel.server.migration;

import org.jspecify.annotations.NullMarked;
