/** Ids, keys, canonical JSON and fingerprints, on the JDK alone. */
module dev.semel.core {
    requires static org.jspecify;

    exports dev.semel.id;
    exports dev.semel.json;
    exports dev.semel.key;
    exports dev.semel.once;
    exports dev.semel.record;
    exports dev.semel.store;
}
