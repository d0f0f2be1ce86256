package dev.semel.server.migration;

import dev.semel.document.Transactions;
import dev.semel.json.Fingerprint;
import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.once.Outcome;
import dev.semel.server.apps.reputation.DocumentType;
import dev.semel.server.apps.reputation.LegacyIds;
import dev.semel.server.migration.JournalEntry.Written;
import dev.semel.server.migration.MigrationState.Counts;
import dev.semel.server.migration.MigrationState.Phase;
import dev.semel.store.Document;
import dev.semel.store.IdempotencyKey;
import dev.semel.store.Response;
import dev.semel.store.Time;
import dev.semel.store.spi.DocumentStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Migrates documents with legacy keys to composite keys, and back.
 *
 * <p>A batch of documents is one commit: the documents with their index entries, an entry of the journal for each, and the state of the
 * migration with its new position. So a migration that is killed has processed the source up to a position, and continues there. The commit
 * has an idempotency key, so a batch whose response was lost is not written twice. The position decides where a migration continues; the
 * keys may have expired by then.
 *
 * <p>Each document is created under the precondition that there is none with its key. So a migration never overwrites a document that it has
 * not written, even while users write. A rollback deletes the documents that are unchanged since they were written, which it knows by
 * their commit ids, and each batch of deletions is one commit, too.
 *
 * <p>Everything that a migration keeps is in the store of the documents, in collections whose names begin with {@code migration/}.
 */
public final class Migration {

    private static final int BATCH = 500;
    private static final String ENDPOINT = "migrate run";
    private static final String USER = "semel--migrate";

    private final DocumentStore store;
    private final Transactions transactions;
    private final Once once;
    private final States states;
    private final Time time;
    private final int batchSize;

    /** Migrates documents into a store. */
    public Migration(DocumentStore store, Time time) {
        this(store, time, BATCH);
    }

    Migration(DocumentStore store, Time time, int batchSize) {
        this.store = store;
        this.time = time;
        this.transactions = new Transactions(store, time);
        this.once = new Once(transactions, time, OnceSettings.DEFAULTS, OnceListener.NONE);
        this.states = new States(store);
        this.batchSize = batchSize;
    }

    /** Returns all migrations of the store, the first one first. */
    public List<MigrationState> status() {
        return states.all();
    }

    /**
     * Does what {@link #run} does, and returns the same, but writes to another store.
     *
     * @param scratch an empty store
     */
    public MigrationState plan(
            MigrationSource source, MigrationOptions options, DocumentStore scratch, MigrationListener listener) {
        return new Migration(new DryRunStore(store, scratch), time, batchSize).run(source, options, listener);
    }

    /**
     * Migrates all documents of a source. If a migration of the same source was killed, continues it. If it is complete, continues with what
     * was added to the source.
     *
     * @return the completed migration
     * @throws MigrationException if another migration is not complete, or if the source or the options of this one have changed
     * @throws dev.semel.store.StoreException if the store fails. The migration continues with the next call
     */
    public MigrationState run(MigrationSource source, MigrationOptions options, MigrationListener listener) {
        LegacyIds ids = LegacyIds.of(store).orElseGet(() -> transactions.run(LegacyIds::ofOrCreate));
        SourceLine first = null;
        MigrationState state = null;
        Optional<MigrationState> latest = states.latest();
        if (latest.isPresent() && latest.get().phase() != Phase.ROLLED_BACK) {
            Continuation continuation = new Continuation(latest.get(), source, options, listener);
            if (continuation.isPossible()) {
                state = continuation.skip();
            }
            first = continuation.unread();
        }
        if (state == null) {
            state = create(MigrationState.started(
                    latest.map(MigrationState::number).orElse(0) + 1,
                    source.id(),
                    options,
                    store.clock().instant()));
        }
        try (BatchReader reader = new BatchReader(source, new LinePlanner(options.map(), ids), first, batchSize)) {
            for (List<Planned> batch = reader.next(); !batch.isEmpty(); batch = reader.next()) {
                state = write(state, batch, options.merge(), listener);
                listener.progress(state.total().read(), source.fraction());
            }
        }
        return state.phase() == Phase.COMPLETE
                ? state
                : replace(state, state.in(Phase.COMPLETE, store.clock().instant()));
    }

    private MigrationState create(MigrationState state) {
        return transactions.run(tx -> {
            states.create(tx, state);
            return state;
        });
    }

    private MigrationState replace(MigrationState current, MigrationState next) {
        return transactions.run(tx -> {
            states.replace(tx, current, next);
            return next;
        });
    }

    /** Decides whether a migration continues the latest one of its store. */
    private final class Continuation {
        private final MigrationState latest;
        private final MigrationSource source;
        private final MigrationOptions options;
        private final MigrationListener listener;
        private final Iterator<JournalEntry> entries;
        private @Nullable SourceLine unread;

        Continuation(
                MigrationState latest, MigrationSource source, MigrationOptions options, MigrationListener listener) {
            this.latest = latest;
            this.source = source;
            this.options = options;
            this.listener = listener;
            this.entries = new Journal(store, latest.number()).entries();
            this.unread = source.id().seekable() ? null : source.next();
        }

        /** Returns the document that was read to find out what source it is, if no journal has it; otherwise null. */
        @Nullable SourceLine unread() {
            return unread;
        }

        /** @throws MigrationException if the latest migration is neither this one nor ended */
        boolean isPossible() {
            String name =
                    "Migration " + latest.number() + ", of " + latest.source().name() + ",";
            if (latest.phase() == Phase.ROLLING_BACK) {
                throw new MigrationException(name + " is being rolled back: run 'migrate rollback' to its end first");
            }
            boolean sameSource = latest.source().mayBe(source.id()) && beginsAlike();
            if (sameSource && latest.hasOptions(options)) {
                return true;
            }
            if (latest.phase() == Phase.COMPLETE) {
                return false;
            }
            throw new MigrationException(name + " is not complete, and "
                    + (sameSource ? "has other options: " + optionsOf(latest) : "has another source")
                    + ". Run it to its end, or roll it back first");
        }

        private boolean beginsAlike() {
            SourceLine line = unread;
            Iterator<JournalEntry> journal = new Journal(store, latest.number()).entries();
            return source.id().seekable() || !journal.hasNext() || (line != null && isSame(line, journal.next()));
        }

        /** Reads what was processed before, and reports again what was left out. */
        MigrationState skip() {
            SourceLine last = null;
            while (entries.hasNext()) {
                JournalEntry entry = entries.next();
                if (!source.id().seekable()) {
                    if (isBeginningOfLine(entry)) {
                        return withoutLast(entry, last == null ? 0 : last.number());
                    }
                    if (unread == null || !isSame(unread, entry)) {
                        throw changed(entry, unread == null);
                    }
                    unread = entries.hasNext() ? source.next() : null;
                }
                last = entry.line();
                if (entry.reason() != null) {
                    listener.leftOut(entry.line().number(), entry.legacyKey(), entry.reason());
                }
            }
            if (last != null && source.id().seekable()) {
                source.seek(last);
            }
            return latest;
        }

        /** Whether the source ended within a line before, as a pipe does that is cut, so that it was left out. */
        private boolean isBeginningOfLine(JournalEntry entry) {
            byte[] before = entry.line().bytes();
            return unread != null
                    && unread.number() == entry.line().number()
                    && unread.bytes().length > before.length
                    && Arrays.equals(unread.bytes(), 0, before.length, before, 0, before.length)
                    && entry.outcome() == JournalEntry.Outcome.SKIPPED
                    && entry.type() == null
                    && !entries.hasNext();
        }

        private MigrationState withoutLast(JournalEntry entry, long line) {
            MigrationState before = latest.withoutLast(line);
            return transactions.run(tx -> {
                new Journal(store, latest.number()).delete(tx, entry);
                states.replace(tx, latest, before);
                return before;
            });
        }

        private MigrationException changed(JournalEntry entry, boolean ended) {
            return new MigrationException("Migration " + latest.number() + " has read the source before, and "
                    + (ended
                            ? "it ends before line " + entry.line().number() + " now"
                            : "line " + entry.line().number() + " has changed since")
                    + ". Pass the same lines, or only new ones after migration " + latest.number() + " is complete");
        }

        private boolean isSame(SourceLine line, JournalEntry entry) {
            return line.number() == entry.line().number()
                    && line.checksum().equals(entry.line().checksum());
        }
    }

    private static String optionsOf(MigrationState state) {
        return "--merge " + state.merge() + (state.map().isEmpty() ? "" : " --map " + state.map());
    }

    private MigrationState write(
            MigrationState state, List<Planned> batch, MergeRule merge, MigrationListener listener) {
        List<JournalEntry> entries = new ArrayList<>();
        MigrationState[] next = {state};
        Outcome outcome = once.atomic(call(state, batch), tx -> {
            entries.clear();
            entries.addAll(new Batch(tx, new Journal(store, state.number()), merge, state.startedAt()).write(batch));
            next[0] = state;
            entries.forEach(entry -> next[0] = next[0].after(entry));
            states.replace(tx, state, next[0]);
            return Response.of("");
        });
        if (outcome instanceof Outcome.Failed failed) {
            throw failed(failed.cause());
        }
        if (!(outcome instanceof Outcome.Executed)) {
            throw States.otherProcess();
        }
        entries.forEach(entry -> report(entry, listener));
        return next[0];
    }

    private static RuntimeException failed(Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof RuntimeException exception ? exception : new IllegalStateException(cause);
    }

    private static Call call(MigrationState state, List<Planned> batch) {
        SourceLine last = batch.get(batch.size() - 1).line();
        // the checksum, since the same line can be read twice: cut, and then complete
        IdempotencyKey key = new IdempotencyKey(
                USER,
                ENDPOINT,
                state.number() + "-" + state.startedAt().toEpochMilli() + "-" + state.line() + "-"
                        + last.checksum().hex());
        String lines = batch.get(0).line().number() + "-" + last.number();
        return Call.of(key, Fingerprint.ofJson('"' + lines + '"'));
    }

    private static void report(JournalEntry entry, MigrationListener listener) {
        String reason = entry.reason();
        if (reason != null) {
            listener.leftOut(entry.line().number(), entry.legacyKey(), reason);
        } else {
            listener.migrated(
                    String.valueOf(entry.type()), String.valueOf(entry.legacyKey()), String.valueOf(entry.key()));
        }
    }

    /**
     * The result of a verification.
     *
     * @param written the number of documents that the migrations have written
     * @param matching how many of them are what was written
     * @param changed how many of them users have changed since
     * @param failures the number of faults: documents that are missing or damaged, and faults of the journal
     */
    public record Verification(long written, long matching, long changed, long failures) {}

    /**
     * Compares the documents that were written with the journals. Migrations that were rolled back have none.
     *
     * @throws MigrationException if there is no migration, or if one is being rolled back
     */
    public Verification verify(MigrationListener listener) {
        List<MigrationState> migrations = status().stream()
                .filter(state -> state.phase() != Phase.ROLLED_BACK)
                .toList();
        if (migrations.isEmpty()) {
            throw new MigrationException("There is no migration in this store that is not rolled back");
        }
        Verifier verifier = new Verifier(
                listener,
                migrations.stream().mapToLong(state -> state.total().read()).sum());
        migrations.forEach(verifier::verify);
        return new Verification(verifier.written, verifier.matching, verifier.changed, verifier.failures);
    }

    /** Compares documents with journals. */
    private final class Verifier {
        private final MigrationListener listener;
        private final long total;
        private long entries;
        private long written;
        private long matching;
        private long changed;
        private long failures;

        Verifier(MigrationListener listener, long total) {
            this.listener = listener;
            this.total = total;
        }

        void verify(MigrationState state) {
            if (state.phase() == Phase.ROLLING_BACK) {
                throw new MigrationException("Migration " + state.number()
                        + " is being rolled back: run 'migrate rollback' to its end first");
            }
            Counts counts = Counts.NONE;
            for (Iterator<JournalEntry> journal = new Journal(store, state.number()).entries(); journal.hasNext(); ) {
                JournalEntry entry = journal.next();
                counts = counts.plus(entry.outcome());
                verify(entry);
                entries++;
                if (entries % BATCH == 0) {
                    listener.progress(entries, (double) entries / Math.max(1, total));
                }
            }
            if (!counts.equals(state.total())) {
                failures++;
                listener.differs(
                        "", "", false, "the journal of migration " + state.number() + " does not have all its entries");
            }
        }

        private void verify(JournalEntry entry) {
            Written expected = entry.written();
            String type = String.valueOf(entry.type());
            String key = String.valueOf(entry.key());
            if (!Fingerprint.ofBytes(entry.line().bytes()).equals(entry.line().checksum())) {
                fail(type, key, "line " + entry.line().number() + " of the source is damaged in the journal");
            }
            if (expected == null) {
                return;
            }
            written++;
            Optional<Document> found = read(entry);
            if (found.isEmpty()) {
                fail(type, key, "it is missing");
            } else if (!found.get().commitId().equals(expected.commitId())) {
                changed++;
                listener.differs(
                        type,
                        key,
                        true,
                        "it was changed since, and has version " + found.get().version());
            } else if (found.get().version() != expected.version()
                    || !Fingerprint.ofBytes(found.get().data().bytes()).equals(expected.checksum())) {
                fail(type, key, "it is not what was written");
            } else {
                matching++;
            }
        }

        private void fail(String type, String key, String reason) {
            failures++;
            listener.differs(type, key, false, reason);
        }
    }

    /**
     * The result of a rollback.
     *
     * @param state the migration
     * @param changed the number of documents that were changed since they were written. If there are any, the migration is not rolled back
     */
    public record Rollback(MigrationState state, long changed) {}

    /**
     * Deletes the documents that a migration has written, and its journal. First checks that none was changed since; if one was, changes
     * nothing. A document that is changed after this check is kept. Continues a rollback that was killed. A migration that is rolled back
     * stays so.
     *
     * @param number the number of the migration; 0 for the latest
     * @throws MigrationException if there is no such migration
     */
    public Rollback rollback(int number, MigrationListener listener) {
        MigrationState state = (number == 0
                        ? states.latest()
                        : status().stream()
                                .filter(each -> each.number() == number)
                                .findFirst())
                .orElseThrow(() -> new MigrationException(
                        "There is no migration " + (number == 0 ? "" : number + " ") + "in this store"));
        if (state.phase() == Phase.ROLLED_BACK) {
            return new Rollback(state, 0);
        }
        long changed = countChanged(state, listener);
        if (changed > 0) {
            return new Rollback(state, changed);
        }
        if (state.phase() != Phase.ROLLING_BACK) {
            state = replace(state, state.in(Phase.ROLLING_BACK, null));
        }
        long kept = 0;
        List<JournalEntry> batch = new ArrayList<>();
        for (Iterator<JournalEntry> journal = new Journal(store, state.number()).entries(); journal.hasNext(); ) {
            batch.add(journal.next());
            if (batch.size() == batchSize || !journal.hasNext()) {
                Undone undone = undo(state, batch, listener);
                state = undone.state;
                kept += undone.kept;
                listener.progress(
                        state.undone(),
                        (double) state.undone() / Math.max(1, state.total().read()));
                batch.clear();
            }
        }
        return kept > 0
                ? new Rollback(state, kept)
                : new Rollback(
                        replace(state, state.in(Phase.ROLLED_BACK, store.clock().instant())), 0);
    }

    private long countChanged(MigrationState state, MigrationListener listener) {
        long changed = 0;
        for (Iterator<JournalEntry> journal = new Journal(store, state.number()).entries(); journal.hasNext(); ) {
            JournalEntry entry = journal.next();
            Written expected = entry.written();
            if (expected != null) {
                Optional<Document> found = read(entry);
                changed += isUnchanged(found, expected) ? 0 : reportChanged(entry, found, listener);
            }
        }
        return changed;
    }

    /** Returns the document with the key of an entry. */
    private Optional<Document> read(JournalEntry entry) {
        return typeOf(entry).documents().read(store, String.valueOf(entry.key()));
    }

    private static DocumentType typeOf(JournalEntry entry) {
        return Objects.requireNonNull(entry.type());
    }

    private static boolean isUnchanged(Optional<Document> found, Written expected) {
        return found.isPresent() && found.get().commitId().equals(expected.commitId());
    }

    private static int reportChanged(JournalEntry entry, Optional<Document> found, MigrationListener listener) {
        listener.differs(
                String.valueOf(entry.type()),
                String.valueOf(entry.key()),
                true,
                found.map(document -> "it was changed since, and has version " + document.version())
                        .orElse("it was deleted since"));
        return 1;
    }

    private record Undone(MigrationState state, long kept) {}

    private Undone undo(MigrationState state, List<JournalEntry> batch, MigrationListener listener) {
        Map<JournalEntry, Optional<Document>> kept = new HashMap<>();
        MigrationState next = transactions.run(tx -> {
            kept.clear();
            for (JournalEntry entry : batch) {
                Optional<Document> found = entry.written() == null
                        ? Optional.empty()
                        : typeOf(entry).documents().read(tx, String.valueOf(entry.key()));
                if (entry.written() != null && !isUnchanged(found, entry.written())) {
                    kept.put(entry, found);
                } else {
                    found.ifPresent(
                            document -> typeOf(entry).documents().delete(tx, document.key(), document.version()));
                    new Journal(store, state.number()).delete(tx, entry);
                }
            }
            MigrationState after = state.withUndone(state.undone() + batch.size() - kept.size());
            states.replace(tx, state, after);
            return after;
        });
        kept.forEach((entry, found) -> reportChanged(entry, found, listener));
        return new Undone(next, kept.size());
    }
}
