/** The embedded store, in one directory on RocksDB. Start at {@link dev.semel.rocksdb.RocksDbStore}. */
@NullMarked
package dev.semel.rocksdb;

import org.jspecify.annotations.NullMarked;
