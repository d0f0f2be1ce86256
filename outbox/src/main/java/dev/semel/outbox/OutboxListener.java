package dev.semel.outbox;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

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

    /** Returns a listener that calls others in turn. An exception of one is logged, and the others are called nevertheless. */
    static OutboxListener all(List<OutboxListener> listeners) {
        List<OutboxListener> all = List.copyOf(listeners);
        return new OutboxListener() {
            @Override
            public void sending(OutboxEntry entry) {
                each(listener -> listener.sending(entry));
            }

            @Override
            public void confirmed(OutboxEntry entry, Duration time) {
                each(listener -> listener.confirmed(entry, time));
            }

            @Override
            public void retry(OutboxEntry entry, Reason reason) {
                each(listener -> listener.retry(entry, reason));
            }

            @Override
            public void failed(OutboxEntry entry, Reason reason) {
                each(listener -> listener.failed(entry, reason));
            }

            private void each(Consumer<OutboxListener> event) {
                for (OutboxListener listener : all) {
                    try {
                        event.accept(listener);
                    } catch (Throwable e) { // listeners in other languages throw checked exceptions, too
                        System.getLogger(OutboxListener.class.getName())
                                .log(System.Logger.Level.WARNING, "A listener of an outbox has failed", e);
                    }
                }
            }
        };
    }
}
