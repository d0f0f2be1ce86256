package dev.semel.outbox;

import dev.semel.outbox.Attempts.Result;
import dev.semel.outbox.Claims.Claim;
import dev.semel.outbox.EntryStore.Queued;
import dev.semel.outbox.OutboxEntry.Status;
import dev.semel.store.Document;
import dev.semel.store.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Sends the entries of a lane in order, until it is empty, its first entry has failed, or is due later. Used by one thread at a time per lane. */
final class LaneRun {

    private static final int BATCH = 32;

    /** A lane lets others go first after so many entries. */
    private static final int MOST_ENTRIES = 128;

    /** Clocks are set back so far all the time. */
    private static final Duration SMALL_CORRECTION = Duration.ofSeconds(1);

    /** How long until a lane that another sender has is tried again. */
    private static final Duration HELD = Duration.ofSeconds(3);

    private final EntryStore entries;
    private final EntryAdmin admin;
    private final Claims claims;
    private final Attempts attempts;
    private final OutboxListener listener;
    private final Time time;
    private volatile Instant networkSince = Instant.MIN;

    LaneRun(EntryStore entries, Claims claims, Attempts attempts, OutboxListener listener, Time time) {
        this.entries = entries;
        this.admin = new EntryAdmin(entries);
        this.claims = claims;
        this.attempts = attempts;
        this.listener = listener;
        this.time = time;
    }

    /**
     * What to do with a lane next.
     *
     * @param kind whether to run it again
     * @param pause how long to wait before that
     */
    record Next(Kind kind, Duration pause) {

        enum Kind {
            /** Nothing: it has no entry, or a failed one. */
            REST,

            /** It has an entry to send. */
            RUN
        }

        static final Next REST = new Next(Kind.REST, Duration.ZERO);
        static final Next SOON = new Next(Kind.RUN, Duration.ZERO);

        static Next after(Duration pause) {
            return new Next(Kind.RUN, pause);
        }
    }

    /** Entries that failed for want of a network are due from now on. */
    void networkIsBack() {
        networkSince = entries.store().clock().instant();
    }

    /** Returns what to do with the lane of an entry, which is the lane's first. */
    Next next(Queued first) {
        if (first.entry().status() == Status.FAILED) {
            return Next.REST;
        }
        Duration pause = pauseBefore(first);
        return pause.isZero() ? Next.SOON : Next.after(pause);
    }

    /** Returns how long to wait before an entry is sent. If the clock was set back since it was written, it is due: nobody knows for how long. */
    private Duration pauseBefore(Queued queued) {
        OutboxEntry entry = queued.entry();
        Document document = queued.document();
        Reason reason = entry.reason();
        if (entry.retryCount() == 0 || reason == null) {
            return Duration.ZERO;
        }
        if (reason.isOfNetwork() && !document.updatedAt().isAfter(networkSince)) {
            return Duration.ZERO;
        }
        Instant now = entries.store().clock().instant();
        if (now.plus(SMALL_CORRECTION).isBefore(document.updatedAt())) {
            return Duration.ZERO;
        }
        Duration pause = Duration.between(now, entry.nextRetryAt());
        return pause.isNegative() ? Duration.ZERO : pause;
    }

    /**
     * Sends the entries of a lane.
     *
     * @param othersWait whether lanes wait for this one to end
     * @param stops whether the processor stops
     */
    Next run(String lane, BooleanSupplier othersWait, BooleanSupplier stops) {
        List<Queued> first = entries.lane(lane, "", 1);
        if (first.isEmpty()) {
            return Next.REST;
        }
        Next next = next(first.get(0));
        if (!next.equals(Next.SOON)) {
            markIfUnreadable(first.get(0));
            return next;
        }
        Optional<Claim> claimed = claims.claim(lane);
        if (claimed.isEmpty()) {
            return Next.after(HELD);
        }
        Claim claim = claimed.get();
        try {
            Sending sending = new Sending(lane, claim, othersWait, stops);
            next = sending.run();
            if (next.equals(Next.REST) || !sending.mayHaveUnknownAttempt()) {
                claim.close();
            }
            return next;
        } finally {
            claim.abandon(); // after an exception, as an entry may have been sent
        }
    }

    /** Shows people an entry that stops its lane. */
    private void markIfUnreadable(Queued queued) {
        if (!queued.isReadable()) {
            admin.markUnreadable(queued.entry().id());
        }
    }

    /** Sends the entries of a lane that is claimed. */
    private final class Sending {
        private final String lane;
        private final Claim claim;
        private final BooleanSupplier othersWait;
        private final BooleanSupplier stops;
        private @Nullable Instant abandonedSince;
        private int sent;

        Sending(String lane, Claim claim, BooleanSupplier othersWait, BooleanSupplier stops) {
            this.lane = lane;
            this.claim = claim;
            this.othersWait = othersWait;
            this.stops = stops;
            this.abandonedSince = claim.abandonedSince();
        }

        /** Whether the first entry may have been sent by the sender before, which is not stored with the entry yet. */
        boolean mayHaveUnknownAttempt() {
            return abandonedSince != null;
        }

        /** Reads batches until there is nothing to do. Each starts after the one before, as a scan over deleted entries takes time. */
        Next run() {
            String after = "";
            while (true) {
                List<Queued> batch = entries.lane(lane, after, BATCH);
                if (batch.isEmpty() && after.isEmpty()) {
                    return Next.REST;
                }
                boolean isWhole = after.isEmpty() && batch.size() < BATCH;
                after = "";
                for (int i = 0; i < batch.size(); i++) {
                    Queued queued = batch.get(i);
                    Next next = send(queued, isWhole && i == batch.size() - 1);
                    if (next != null) {
                        return next;
                    }
                    after = queued.entry().id();
                    if (claim.takeChange()) {
                        break;
                    }
                }
            }
        }

        /** Returns null if the lane goes on with the next entry. */
        private @Nullable Next send(Queued queued, boolean isLast) {
            Next next = next(queued);
            if (!next.equals(Next.SOON)) {
                markIfUnreadable(queued);
                return next;
            }
            if (stops.getAsBoolean() || !claim.isValid() || (sent >= MOST_ENTRIES && othersWait.getAsBoolean())) {
                return Next.SOON;
            }
            sent++;
            long start = time.nanoTime();
            Result result = attempts.attempt(maybeSent(queued.entry()));
            abandonedSince = null;
            return store(queued, result, isLast, Duration.ofNanos(time.nanoTime() - start));
        }

        /** The sender that had the lane before may have sent its first entry. */
        private OutboxEntry maybeSent(OutboxEntry entry) {
            Instant since = abandonedSince;
            if (since == null || entry.firstSentAt() != null) {
                return entry;
            }
            return entry.sentAt(since.isAfter(entry.createdAt()) ? since : entry.createdAt());
        }

        private @Nullable Next store(Queued queued, Result result, boolean isLast, Duration took) {
            boolean isStored = result instanceof Result.Confirmed
                    ? entries.confirm(claim, queued, result.entry(), isLast)
                    : entries.update(claim, queued, result.entry());
            boolean isReleased = isLast || !(result instanceof Result.Confirmed);
            if (isReleased) {
                claim.released();
            }
            if (isStored) {
                report(result, took);
            }
            if (!isStored) {
                // the entry was discarded, or another sender has the lane
                return isReleased || claim.isLost() ? Next.SOON : null;
            }
            if (result instanceof Result.Again again) {
                Duration pause = Duration.between(
                        entries.store().clock().instant(), again.entry().nextRetryAt());
                return pause.isNegative() ? Next.SOON : Next.after(pause);
            }
            if (result instanceof Result.Interrupted) {
                return Next.SOON;
            }
            return isReleased ? Next.REST : null;
        }

        private void report(Result result, Duration took) {
            if (result instanceof Result.Confirmed confirmed) {
                listener.confirmed(confirmed.entry(), took);
            } else if (result instanceof Result.Again again) {
                listener.retry(again.entry(), again.reason());
            } else if (result instanceof Result.Failed failed) {
                listener.failed(failed.entry(), failed.reason());
            }
        }
    }
}
