/** What operators do with a store: list keys, sweep what has expired, erase users. */
@NullMarked
package dev.semel.store.admin;

import org.jspecify.annotations.NullMarked;
