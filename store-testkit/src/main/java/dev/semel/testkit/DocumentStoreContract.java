package dev.semel.testkit;

/** The contract of stores that have documents. A file for each topic. */
public interface DocumentStoreContract
        extends CommitContract,
                CommitIdContract,
                AtomicContract,
                AtomicRaceContract,
                ScanContract,
                IndexContract,
                DocumentCollectionContract,
                SequenceContract,
                AllocationContract {}
