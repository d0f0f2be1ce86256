package dev.semel.testkit;

/** The contract of stores with commit sequence numbers, by topic. */
public interface OrderedStoreContract extends OrderContract, WatchContract {}
