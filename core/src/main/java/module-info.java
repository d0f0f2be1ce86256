/** Ids, keys, canonical JSON, documents, and operations that run once per key, on the JDK alone. */
@SuppressWarnings("module") // the stores are built after this module
module dev.semel.core {
    requires static java.net.http; // only Workers KV uses it
    requires static transitive java.sql; // only stores in a database use it
    requires static org.jspecify;

    exports dev.semel.document;
    exports dev.semel.id;
    exports dev.semel.json;
    exports dev.semel.key;
    exports dev.semel.kv;
    exports dev.semel.memory;
    exports dev.semel.once;
    exports dev.semel.store;
    exports dev.semel.store.admin;
    exports dev.semel.store.spi;
    exports dev.semel.store.internal to
            dev.semel.store.postgres,
            dev.semel.store.rocksdb;
}
