package dev.semel.server.migration;

/**
 * How documents are migrated.
 *
 * @param map where the parts of keys are, if legacy keys do not contain them
 * @param merge what happens to documents that get the same key
 */
public record MigrationOptions(PartMapping map, MergeRule merge) {

    /** The default mapping, and no merging. */
    public static final MigrationOptions DEFAULTS = new MigrationOptions(PartMapping.DEFAULT, MergeRule.LIST);
}
