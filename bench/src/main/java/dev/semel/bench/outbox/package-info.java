/** The benchmark of the outbox: adding entries and sending them, next to bare RocksDB, wrk and transaction-outbox. */
@NullMarked
package dev.semel.bench.outbox;

import org.jspecify.annotations.NullMarked;
