/** How fast the embedded store is, next to bare RocksDB. */
@NullMarked
package dev.semel.bench.rocksdb;

import org.jspecify.annotations.NullMarked;
