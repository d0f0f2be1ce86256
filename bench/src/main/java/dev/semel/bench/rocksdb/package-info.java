/** The benchmark of the embedded store: {@code semel bench rocksdb}. */
@NullMarked
package dev.semel.bench.rocksdb;

import org.jspecify.annotations.NullMarked;
