package dev.semel.testkit;

/** The contract of stores that number commits. A file for each topic. */
public interface OrderedStoreContract extends OrderContract, WatchContract {}
