/** The embedded store: everything in one folder, on RocksDB. Start at {@link dev.semel.rocksdb.RocksDbStore}. */
@NullMarked
package dev.semel.rocksdb;

import org.jspecify.annotations.NullMarked;
