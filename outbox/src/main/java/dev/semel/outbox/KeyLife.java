package dev.semel.outbox;

import dev.semel.document.Transactions.WriteConflictException;
import dev.semel.json.Json;
import dev.semel.outbox.Reply.Received;
import dev.semel.store.Document;
import dev.semel.store.DocumentId;
import dev.semel.store.StoreException;
import java.lang.System.Logger.Level;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * How long the API keeps keys and tombstones. The life of keys is learned from {@code Idempotency-Expires}, and stored; until there was such a
 * response, a setting applies. Thread-safe.
 */
final class KeyLife {

    private static final System.Logger LOG = System.getLogger(KeyLife.class.getName());

    private static final Duration LONGEST_MARGIN = Duration.ofMinutes(5);
    private static final Duration LONGEST = Duration.ofDays(3650);
    private static final int TENTH = 10;

    private final EntryStore entries;
    private final DocumentId id;
    private final Duration tombstones;
    private volatile Duration keys;

    /**
     * Reads what was learned before.
     *
     * @param keys the life of keys while nothing is known
     * @param tombstones the life of tombstones, from the end of the key's life on
     */
    KeyLife(EntryStore entries, Duration keys, Duration tombstones) {
        this.entries = entries;
        this.id = new DocumentId(entries.collection("api"), "", "key-life");
        this.tombstones = tombstones;
        this.keys = entries.store().read(id).flatMap(KeyLife::stored).orElse(keys);
    }

    private static Optional<Duration> stored(Document document) {
        try {
            return Optional.of(Duration.ofMillis(Long.parseLong(document.data().text())));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** Learns from the first response to a request. Both times are of the API's clock, as the clock of this machine may be wrong. */
    void learn(Received response) {
        boolean isFirst = response.headers().firstValue("Idempotency-Replayed").isEmpty();
        String expires = response.headers().firstValue("Idempotency-Expires").orElse("");
        Instant sent = DecisionTable.date(response.headers().firstValue("Date").orElse(""));
        if (!isFirst || expires.isEmpty() || sent == null || response.status() >= 300) {
            return;
        }
        Duration life;
        try {
            life = Duration.between(sent, Instant.parse(expires));
        } catch (DateTimeException | ArithmeticException e) {
            return;
        }
        Duration known = keys;
        boolean isNew = life.minus(known).abs().compareTo(known.dividedBy(TENTH)) > 0;
        if (isNew && !life.isNegative() && !life.isZero() && life.compareTo(LONGEST) < 0) {
            keys = life;
            store(Json.of(Long.toString(life.toMillis())));
        }
    }

    private void store(Json data) {
        try {
            entries.transactions().run(tx -> {
                Optional<Document> current = tx.read(id);
                Document next = current.isPresent()
                        ? current.get().updated(tx.now(), data)
                        : Document.created(id, tx.now(), null, data);
                return tx.put(next, List.of());
            });
        } catch (StoreException | WriteConflictException e) {
            LOG.log(Level.DEBUG, "The life of keys cannot be stored", e); // it is learned again
        }
    }

    /** Whether the API may have deleted the key of a request. A time in the future shows that the clock was set back. */
    boolean mayBeOver(Instant firstSentAt, Instant now) {
        Duration age = Duration.between(firstSentAt, now);
        return age.compareTo(keys.minus(margin())) >= 0 || age.compareTo(margin().negated()) < 0;
    }

    /** Whether the API may have deleted the tombstone, too. */
    boolean mayBeForgotten(Instant firstSentAt, Instant now) {
        Duration age = Duration.between(firstSentAt, now);
        return age.compareTo(keys.plus(tombstones).minus(margin())) >= 0;
    }

    private Duration margin() {
        Duration tenth = keys.dividedBy(TENTH);
        return tenth.compareTo(LONGEST_MARGIN) < 0 ? tenth : LONGEST_MARGIN;
    }
}
