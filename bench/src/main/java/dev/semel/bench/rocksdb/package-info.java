/** How fast the embedded store is, beside bare RocksDB. */
@NullMarked
package dev.semel.bench.rocksdb;

import org.jspecify.annotations.NullMarked;
