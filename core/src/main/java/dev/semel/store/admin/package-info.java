/** Administration of stores for operators: listing keys, sweeping expired data, erasing users. */
@NullMarked
package dev.semel.store.admin;

import org.jspecify.annotations.NullMarked;
