package dev.semel.outbox;

import java.time.Duration;

/**
 * Receives the events of a processor. The methods are called by the threads that send, for the entries of one lane in order. They should
 * return soon; what they throw is logged and ignored.
 */
public interface OutboxListener {

    /** An attempt to send the entry starts. */
    default void sending(OutboxEntry entry) {}

    /** The API has confirmed the entry, after {@code time} from the start of the last attempt. */
    default void confirmed(OutboxEntry entry, Duration time) {}

    /** The attempt has ended without a final result. The entry is sent again at its {@code nextRetryAt}. */
    default void retry(OutboxEntry entry, Reason reason) {}

    /** The entry has failed. Its lane waits until it is retried or discarded. */
    default void failed(OutboxEntry entry, Reason reason) {}
}
