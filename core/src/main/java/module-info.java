/** Ids, keys and canonical JSON, on the JDK alone. */
module dev.semel.core {
    requires static org.jspecify;

    exports dev.semel.id;
    exports dev.semel.json;
    exports dev.semel.key;
}
