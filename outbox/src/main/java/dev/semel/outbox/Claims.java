package dev.semel.outbox;

import dev.semel.document.Transaction;
import dev.semel.id.IdSchemes;
import dev.semel.json.Json;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The claims of one sender on lanes. Only the sender that has claimed a lane sends its entries.
 *
 * <p>A claim is a document {@code outbox.NAME.lanes/LANE} with the sender's id. Its commit id is the fencing token: each write to an entry has
 * the precondition that the document has not changed, so a sender that has lost its claim cannot write any more.
 *
 * <p>In a store that several processes share, each sender with claims keeps a lease, a document {@code outbox.NAME.senders/SENDER} that expires
 * unless it is renewed. The claims of a sender without a lease may be taken over. A sender that notices that its lease had expired gives up its
 * claims. In a store that belongs to one process, the claims of senders that are not in this process may be taken over at once.
 */
final class Claims implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Claims.class.getName());

    private static final Duration LEASE = Duration.ofSeconds(20);
    private static final Duration RENEWAL = LEASE.dividedBy(4);

    /** A sender stops to send so long before its lease expires. */
    private static final Duration MARGIN = LEASE.dividedBy(4);

    private static final Json EMPTY = Json.of("{}");
    private static final Pattern DATA = Pattern.compile("\\{\"sender\":\"([^\"]*)\",\"since\":\"([^\"]*)\"}");

    /** The senders of this process. */
    private static final Set<String> SENDERS = ConcurrentHashMap.newKeySet();

    private final EntryStore entries;
    private final Time time;
    private final String sender = IdSchemes.TID62.mint();
    private final boolean shared;
    private final Object lock = new Object();
    private int held; // guarded by lock, as are the next four
    private boolean renewing;
    private boolean closed;
    private long validUntil;
    private Runnable cancelRenewal = () -> {};
    private volatile long epoch; // rises when the claims are lost

    Claims(EntryStore entries, Time time) {
        this.entries = entries;
        this.time = time;
        this.shared = !entries.store().isExclusive();
        this.validUntil = time.nanoTime();
        SENDERS.add(sender);
    }

    /** A claim on a lane. Used by one thread. */
    final class Claim implements EntryStore.Claim {
        private final String lane;
        private final long claimedIn;
        private final @Nullable Instant abandonedSince;
        private Document document;
        private boolean changed;
        private boolean lost;
        private boolean ended;

        private Claim(String lane, Document document, long claimedIn, @Nullable Instant abandonedSince) {
            this.lane = lane;
            this.document = document;
            this.claimedIn = claimedIn;
            this.abandonedSince = abandonedSince;
        }

        /** Returns since when a sender may have sent the lane's first entry before it crashed; null if none has. */
        @Nullable Instant abandonedSince() {
            return abandonedSince;
        }

        @Override
        public boolean isHeld(Transaction tx) {
            Optional<Document> current = tx.expect(document);
            if (current.isPresent() && current.get().commitId().equals(document.commitId())) {
                lost = false;
                return true;
            }
            boolean mine = current.isPresent() && senderOf(current.get()).equals(sender);
            lost = !mine;
            if (mine) {
                document = current.get();
                changed = true;
            }
            return mine;
        }

        /** Whether an entry of the lane was discarded since the last call. */
        boolean takeChange() {
            boolean was = changed;
            changed = false;
            return was;
        }

        @Override
        public void release(Transaction tx) {
            tx.delete(document.id(), List.of());
        }

        /** Whether another sender has the lane now. */
        boolean isLost() {
            return lost;
        }

        /** The transaction that has released this claim is committed. */
        void released() {
            abandon();
        }

        /** Ends this claim without releasing it: the next sender that claims the lane learns that its first entry may have been sent. */
        void abandon() {
            if (!ended) {
                ended = true;
                count(-1);
            }
        }

        /** Releases this claim, unless it has ended. */
        void close() {
            if (!ended) {
                entries.transactions().run(tx -> {
                    boolean held = isHeld(tx);
                    if (held) {
                        release(tx);
                    }
                    return held;
                });
                abandon();
            }
        }

        /**
         * Whether the sender may send now. Renews the lease if it is about to expire.
         *
         * @throws StoreException if it cannot be renewed
         */
        boolean isValid() {
            if (shared && time.nanoTime() - validUntil() > 0) {
                renew();
            }
            return claimedIn == epoch;
        }

        @Override
        public String toString() {
            return "Claim[" + lane + "]";
        }
    }

    /** Claims a lane. Returns an empty result if another sender has it. */
    Optional<Claim> claim(String lane) {
        boolean counted = false;
        try {
            count(1);
            counted = true;
            if (shared && time.nanoTime() - validUntil() > 0) {
                renew();
            }
            long now = epoch;
            Optional<Claim> claim = entries.transactions().run(tx -> {
                DocumentId id = entries.claim(lane);
                Optional<Document> current = tx.expectAbsent(id);
                Instant since = null;
                if (current.isPresent()) {
                    String owner = senderOf(current.get());
                    if (!owner.equals(sender) && isAlive(tx, owner)) {
                        return Optional.empty();
                    }
                    since = sinceOf(current.get());
                }
                Json data = Json.of(
                        "{\"sender\":\"" + sender + "\",\"since\":\"" + (since == null ? tx.now() : since) + "\"}");
                Document claimed = current.isPresent()
                        ? current.get().updated(tx.now(), data)
                        : Document.created(id, tx.now(), null, data);
                return Optional.of(new Claim(lane, tx.put(claimed, List.of()), now, since));
            });
            counted = claim.isEmpty();
            return claim;
        } finally {
            if (counted) {
                count(-1);
            }
        }
    }

    private boolean isAlive(Transaction tx, String owner) {
        return shared ? tx.read(lease(owner)).isPresent() : SENDERS.contains(owner);
    }

    private DocumentId lease(String owner) {
        return new DocumentId(entries.collection("senders"), "", owner);
    }

    private static String senderOf(Document claim) {
        Matcher data = DATA.matcher(claim.data().text());
        return data.matches() ? data.group(1) : "";
    }

    private static Instant sinceOf(Document claim) {
        Matcher data = DATA.matcher(claim.data().text());
        return data.matches() ? Instant.parse(data.group(2)) : claim.createdAt();
    }

    /** Renews the lease while there are claims. */
    private void count(int change) {
        synchronized (lock) {
            held += change;
            if (shared && held > 0 && !renewing && !closed) {
                renewing = true;
                cancelRenewal = time.after(RENEWAL, this::renewLater);
            }
        }
    }

    private void renewLater() {
        try {
            renew();
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "The lease of an outbox''s sender cannot be renewed: {0}", e.getMessage());
        } finally {
            synchronized (lock) {
                renewing = held > 0 && !closed;
                if (renewing) {
                    cancelRenewal = time.after(RENEWAL, this::renewLater);
                }
            }
        }
    }

    private long validUntil() {
        synchronized (lock) {
            return validUntil;
        }
    }

    private void renew() {
        long asked = time.nanoTime();
        boolean had = false;
        boolean renewed = false;
        try {
            had = entries.transactions().run(tx -> {
                Optional<Document> current = tx.read(lease(sender));
                Instant expiresAt = tx.now().plus(LEASE);
                tx.put(Document.created(lease(sender), tx.now(), expiresAt, EMPTY), List.of());
                return current.isPresent();
            });
            renewed = true;
        } finally {
            synchronized (lock) {
                if (!had) {
                    epoch++; // also after an exception: the lease may have expired before a commit that was applied
                    // nevertheless
                }
                if (renewed) {
                    validUntil =
                            Math.max(validUntil, asked + LEASE.minus(MARGIN).toNanos());
                }
            }
        }
    }

    /** Ends the lease. Claims that are still held may then be taken over. */
    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            cancelRenewal.run();
        }
        SENDERS.remove(sender);
        if (shared) {
            entries.transactions().run(tx -> {
                boolean isPresent = tx.read(lease(sender)).isPresent();
                if (isPresent) {
                    tx.delete(lease(sender), List.of());
                }
                return isPresent;
            });
        }
    }
}
