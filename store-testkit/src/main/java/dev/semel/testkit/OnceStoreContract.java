package dev.semel.testkit;

/** The contract of every store, by topic. It needs only idempotency records. */
public interface OnceStoreContract
        extends CompareAndSetContract,
                RecordContract,
                FencingTokenContract,
                StateTableContract,
                ClaimContract,
                ReplayContract,
                MismatchContract,
                LeaseContract,
                AsyncLeaseContract,
                ExpiryContract,
                FailureContract,
                WaitingContract,
                IsolationContract,
                OperatorActionContract,
                OutcomeContract,
                RaceContract {}
