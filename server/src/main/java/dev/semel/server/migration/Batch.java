package dev.semel.server.migration;

import dev.semel.document.DocumentCollection;
import dev.semel.document.DocumentCollection.WriteResult;
import dev.semel.document.Transaction;
import dev.semel.json.Fingerprint;
import dev.semel.json.Json;
import dev.semel.json.MalformedJsonException;
import dev.semel.server.apps.reputation.DocumentType;
import dev.semel.server.migration.JournalEntry.Order;
import dev.semel.server.migration.JournalEntry.Outcome;
import dev.semel.server.migration.JournalEntry.Written;
import dev.semel.store.Document;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Writes a batch of documents, with their journal entries, in a transaction. Merges do not depend on where a batch ends. */
final class Batch {

    /** The most digits before or after the point of a number that is summed. */
    private static final int MOST_DIGITS = 1000;

    private final Transaction tx;
    private final Journal journal;
    private final MergeRule rule;
    private final Instant defaultTime;
    private final Map<String, JournalEntry> writers = new HashMap<>();

    /** @param defaultTime when documents were created that have no times */
    Batch(Transaction tx, Journal journal, MergeRule rule, Instant defaultTime) {
        this.tx = tx;
        this.journal = journal;
        this.rule = rule;
        this.defaultTime = defaultTime;
    }

    List<JournalEntry> write(List<Planned> batch) {
        List<JournalEntry> entries = new ArrayList<>();
        for (Planned planned : batch) {
            JournalEntry entry =
                    planned instanceof Planned.Copy copy ? write(copy) : skipped((Planned.LeftOut) planned);
            journal.add(tx, entry);
            entries.add(entry);
        }
        return entries;
    }

    private static JournalEntry skipped(Planned.LeftOut leftOut) {
        return new JournalEntry(
                leftOut.line(), Outcome.SKIPPED, leftOut.type(), leftOut.legacyKey(), null, null, 0, leftOut.reason());
    }

    private JournalEntry write(Planned.Copy copy) {
        WriteResult result = copy.type()
                .documents()
                .createCopy(tx, copy.key(), copy.version(), createdAt(copy), updatedAt(copy), copy.data());
        if (result instanceof WriteResult.Written written) {
            JournalEntry entry =
                    entry(copy, Outcome.WRITTEN, written(written.document(), copy.dataChecksum(), order(copy)), 0);
            writers.put(id(copy), entry);
            return entry;
        }
        try {
            return merge(copy, ((WriteResult.Taken) result).current());
        } catch (LineException e) {
            return skipped(new Planned.LeftOut(copy.line(), copy.type(), copy.legacyKey(), e.reason()));
        }
    }

    private JournalEntry merge(Planned.Copy copy, Document current) {
        JournalEntry writer = writers.get(id(copy));
        if (writer == null) {
            writer = journal.writer(tx, copy.type(), copy.key())
                    .orElseThrow(
                            () -> new LineException("the target already has a document with the key " + copy.key()));
        }
        long line = writer.line().number();
        Written before = Objects.requireNonNull(writer.written());
        if (!before.commitId().equals(current.commitId())) {
            throw new LineException(
                    "it has the same key as line " + line + ", " + copy.key() + ", whose document was changed since");
        }
        Order order = order(copy);
        boolean isLatest = order.compareTo(before.latest()) > 0;
        Order latest = isLatest ? order : before.latest();
        Document merged = switch (rule.kind()) {
            case LIST ->
                throw new LineException(
                        "it has the same key as line " + line + ", " + copy.key() + ", and no rule merges them");
            case NEWEST ->
                isLatest
                        ? replace(copy.type(), current, copy.version(), createdAt(copy), updatedAt(copy), copy.data())
                        : current;
            case SUM -> sum(copy, current, isLatest, line);
        };
        JournalEntry changed = writer.withWritten(
                written(merged, Fingerprint.ofBytes(merged.data().bytes()), latest));
        writers.put(id(copy), changed);
        journal.update(tx, changed);
        return entry(copy, Outcome.MERGED, null, line);
    }

    private Document sum(Planned.Copy copy, Document current, boolean isLatest, long line) {
        BigDecimal before = number(current.data());
        BigDecimal more = number(copy.data());
        String field = DataPath.text(rule.field());
        if (more == null) {
            throw new LineException(
                    "it has the same key as line " + line + ", " + copy.key() + ", and no number at " + field);
        }
        if (before == null) {
            throw new LineException(
                    "it has the same key as line " + line + ", " + copy.key() + ", which has no number at " + field);
        }
        Json data = isLatest ? copy.data() : current.data();
        Instant created = createdAt(copy).isBefore(current.createdAt()) ? createdAt(copy) : current.createdAt();
        Instant updated = isLatest ? updatedAt(copy) : current.updatedAt();
        try {
            Json sum = Json.of(before.add(more).toPlainString());
            return replace(
                    copy.type(),
                    current,
                    isLatest ? copy.version() : current.version(),
                    created,
                    updated.isBefore(created) ? created : updated,
                    Members.with(data, rule.field(), sum));
        } catch (MalformedJsonException e) {
            throw new LineException("the sum of " + field + " and that of line " + line + " is too large");
        }
    }

    /** Returns the number at the field of the rule; null if there is none. */
    private @Nullable BigDecimal number(Json data) {
        String text = Members.at(data, rule.field()).map(Json::text).orElse("");
        if (!text.matches("-?[0-9].*")) {
            return null;
        }
        BigDecimal number = new BigDecimal(text);
        return Math.abs((long) number.scale()) + number.precision() > MOST_DIGITS ? null : number;
    }

    private Document replace(
            DocumentType type, Document current, long version, Instant createdAt, Instant updatedAt, Json data) {
        DocumentCollection documents = type.documents();
        documents.delete(tx, current.key(), current.version());
        WriteResult result = documents.createCopy(tx, current.key(), version, createdAt, updatedAt, data);
        return ((WriteResult.Written) result).document();
    }

    private static String id(Planned.Copy copy) {
        return copy.type().name() + "/" + copy.key();
    }

    private static Written written(Document document, Fingerprint checksum, Order latest) {
        return new Written(document.version(), checksum, document.commitId(), latest);
    }

    private static JournalEntry entry(Planned.Copy copy, Outcome outcome, @Nullable Written written, long into) {
        return new JournalEntry(copy.line(), outcome, copy.type(), copy.legacyKey(), copy.key(), written, into, null);
    }

    private static Order order(Planned.Copy copy) {
        Instant updatedAt = copy.updatedAt() != null ? copy.updatedAt() : copy.createdAt();
        return new Order(
                updatedAt == null ? Instant.EPOCH : updatedAt,
                copy.version(),
                copy.line().number());
    }

    private Instant createdAt(Planned.Copy copy) {
        Instant given = copy.createdAt() != null ? copy.createdAt() : copy.updatedAt();
        return given == null ? defaultTime : given;
    }

    private Instant updatedAt(Planned.Copy copy) {
        return copy.updatedAt() != null ? copy.updatedAt() : createdAt(copy);
    }
}
