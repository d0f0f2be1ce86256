package dev.semel.postgres;

import dev.semel.store.Commit;
import dev.semel.store.CommitResult;
import dev.semel.store.DocumentId;
import dev.semel.store.DocumentWrite;
import dev.semel.store.FurtherKey;
import dev.semel.store.OnceRecord;
import dev.semel.store.OnceWrite;
import dev.semel.store.Response;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Commits that go to the database together, as the columns of {@link CommitSql}. No two of them have a row in common. */
final class CommitGroup {

    /** Taken last by who gives places, and held until they are to be seen: so nobody sees one before those below it. */
    private static final long PLACE_LOCK = Long.MAX_VALUE;

    /** So long that its end is as good as none, and may still be counted in microseconds. */
    private static final Duration LONGEST = Duration.ofDays(365_250);

    private final List<PendingCommit> commits;
    private final CommitSql sql;

    private final Set<String> users = new TreeSet<>();
    private final List<Long> lockers = new ArrayList<>();
    private final Set<Long> rowLocks = new TreeSet<>();
    private final List<Long> tried = new ArrayList<>();
    private final Set<Long> sharedLocks = new TreeSet<>();

    private final Looked looked = new Looked();
    private final Puts puts = new Puts();
    private final Removals removals = new Removals();
    private final Further further = new Further();
    private final Further furtherRemovals = new Further();

    /** @param alone whether it waits for rows that others have */
    CommitGroup(List<PendingCommit> commits, boolean alone) {
        this.commits = commits;
        boolean once = false;
        boolean receipts = false;
        boolean quota = false;
        boolean places = false;
        for (int i = 0; i < commits.size(); i++) {
            PendingCommit pending = commits.get(i);
            Commit commit = pending.commit;
            addLocks(pending, i + 1L);
            addDocuments(commit, i + 1L);
            once |= commit.once() != null;
            receipts |= commit.once() == null && !commit.writes().isEmpty();
            quota |= pending.isCounted();
            places |= commit.wantsPlace();
        }
        this.sql = new CommitSql(
                alone,
                once,
                receipts,
                !looked.i.isEmpty(),
                quota,
                !puts.i.isEmpty(),
                places,
                !removals.i.isEmpty(),
                !further.i.isEmpty(),
                !furtherRemovals.i.isEmpty());
    }

    /** Documents that are looked at, with who has to have written them. */
    private static final class Looked {
        private final List<Long> i = new ArrayList<>();
        private final List<DocumentId> ids = new ArrayList<>();
        private final List<@Nullable String> writers = new ArrayList<>();

        /** Returns its number. */
        long add(long commit, DocumentId id, @Nullable String writer) {
            i.add(commit);
            ids.add(id);
            writers.add(writer);
            return i.size();
        }
    }

    private static final class Puts {
        private final List<Long> i = new ArrayList<>();
        private final List<DocumentWrite.Put> puts = new ArrayList<>();

        <T> List<T> column(Function<DocumentWrite.Put, T> value) {
            return puts.stream().map(value).collect(Collectors.toCollection(ArrayList::new));
        }
    }

    private static final class Removals {
        private final List<Long> i = new ArrayList<>();
        private final List<DocumentId> ids = new ArrayList<>();
    }

    private static final class Further {
        private final List<Long> i = new ArrayList<>();
        private final List<DocumentId> ids = new ArrayList<>();
        private final List<FurtherKey> keys = new ArrayList<>();
        private final List<Long> looks = new ArrayList<>();

        void add(long commit, DocumentId id, FurtherKey key, long look) {
            i.add(commit);
            ids.add(id);
            keys.add(key);
            looks.add(look);
        }
    }

    private void addLocks(PendingCommit pending, long i) {
        for (RowId row : pending.rows()) {
            rowLocks.add(row.lock());
            lockers.add(i);
            tried.add(row.lock());
        }
        OnceWrite once = pending.commit.once();
        if (once != null) {
            users.add(once.record().key().user());
            if (pending.isCounted()) {
                sharedLocks.add(RowId.ofUser(once.record().key().user()).lock());
            }
        }
        if (pending.commit.wantsPlace()) {
            sharedLocks.add(PLACE_LOCK);
        }
    }

    private void addDocuments(Commit commit, long i) {
        Map<DocumentId, Long> looks = new HashMap<>();
        commit.writers().forEach((id, writer) -> {
            users.add(id.owner());
            looks.put(id, looked.add(i, id, writer));
        });
        Set<FurtherKey> kept = new HashSet<>();
        for (DocumentWrite write : commit.writes()) {
            users.add(write.id().owner());
            if (write instanceof DocumentWrite.Put put) {
                puts.i.add(i);
                puts.puts.add(put);
                long look = put.wantsPlace() ? looks.computeIfAbsent(put.id(), id -> looked.add(i, id, null)) : 0;
                for (FurtherKey key : put.furtherKeys()) {
                    further.add(i, put.id(), key, look);
                    kept.add(key);
                }
            } else {
                removals.i.add(i);
                removals.ids.add(write.id());
            }
        }
        for (DocumentWrite write : commit.writes()) {
            if (write instanceof DocumentWrite.Delete) {
                for (FurtherKey key : write.furtherKeys()) {
                    if (!kept.contains(key)) {
                        furtherRemovals.add(i, write.id(), key, 0);
                    }
                }
            }
        }
    }

    /**
     * Commits them, and tells each what became of it.
     *
     * @param now what time it is; null if the database is to say
     * @return what time it was for the database
     */
    Instant run(Session session, @Nullable Instant now) {
        return session.run(
                session.prologue(Session.Role.APP, sql.locking()) + sql.text(),
                parameters -> bind(parameters, now),
                this::read);
    }

    private void bind(Parameters to, @Nullable Instant now) throws SQLException {
        users.remove("");
        to.text(String.join(",", users));
        if (sql.alone()) {
            List<Long> all = new ArrayList<>(rowLocks);
            all.addAll(sharedLocks);
            to.numbers(all);
        } else {
            to.numbers(lockers).numbers(tried).numbers(List.copyOf(sharedLocks));
        }
        to.time(now);
        if (sql.looked()) {
            to.numbers(looked.i);
            bindIds(to, looked.ids).texts(looked.writers);
        }
        bindCommits(to);
        if (sql.puts()) {
            bindPuts(to);
        }
        if (sql.deletes()) {
            to.numbers(removals.i);
            bindIds(to, removals.ids);
        }
        if (sql.further()) {
            to.numbers(further.i);
            bindIds(to, further.ids)
                    .texts(further.keys.stream().map(FurtherKey::name).toList())
                    .texts(further.keys.stream().map(FurtherKey::key).toList())
                    .flags(further.keys.stream().map(FurtherKey::placed).toList())
                    .numbers(further.looks);
        }
        if (sql.furtherDeletes()) {
            to.numbers(furtherRemovals.i)
                    .texts(furtherRemovals.ids.stream()
                            .map(DocumentId::collection)
                            .toList())
                    .texts(furtherRemovals.ids.stream().map(DocumentId::owner).toList())
                    .texts(furtherRemovals.keys.stream().map(FurtherKey::name).toList())
                    .texts(furtherRemovals.keys.stream().map(FurtherKey::key).toList());
        }
    }

    private static Parameters bindIds(Parameters to, List<DocumentId> ids) throws SQLException {
        return to.texts(ids.stream().map(DocumentId::collection).toList())
                .texts(ids.stream().map(DocumentId::owner).toList())
                .texts(ids.stream().map(DocumentId::key).toList());
    }

    private void bindCommits(Parameters to) throws SQLException {
        to.texts(commits.stream().map(pending -> pending.commit.attempt()).toList())
                .flags(commits.stream()
                        .map(pending -> !pending.commit.writes().isEmpty())
                        .toList())
                .flags(commits.stream()
                        .map(pending -> pending.commit.wantsPlace())
                        .toList());
        if (sql.once()) {
            new OnceColumns(commits).bind(to);
        }
    }

    /** The once-records of the commits; those who have none have a column of nulls. */
    private record OnceColumns(List<PendingCommit> commits) {

        private interface Value<T> {
            @Nullable T of(OnceWrite write, OnceRecord record);
        }

        private <T> List<@Nullable T> column(Value<T> value) {
            List<@Nullable T> column = new ArrayList<>(commits.size());
            for (PendingCommit pending : commits) {
                OnceWrite write = pending.commit.once();
                column.add(write == null ? null : value.of(write, write.record()));
            }
            return column;
        }

        private List<Boolean> newKeys() {
            List<Boolean> column = new ArrayList<>(commits.size());
            for (PendingCommit pending : commits) {
                OnceWrite write = pending.commit.once();
                column.add(write != null && write.isNewKey());
            }
            return column;
        }

        private List<@Nullable UUID> ids() {
            List<@Nullable UUID> column = new ArrayList<>(commits.size());
            for (PendingCommit pending : commits) {
                column.add(pending.once == null ? null : pending.once.uuid());
            }
            return column;
        }

        private List<byte @Nullable []> bodies() {
            List<byte @Nullable []> column = new ArrayList<>(commits.size());
            for (PendingCommit pending : commits) {
                OnceWrite write = pending.commit.once();
                Response response = write == null ? null : write.record().response();
                column.add(response == null ? null : response.body());
            }
            return column;
        }

        void bind(Parameters to) throws SQLException {
            to.ids(ids())
                    .texts(column((write, record) -> record.key().user()))
                    .texts(column((write, record) -> record.key().endpoint()))
                    .texts(column((write, record) -> record.key().key()))
                    .texts(column((write, record) -> record.clientTxId()))
                    .texts(column((write, record) -> record.fingerprint().hex()))
                    .texts(column((write, record) -> OnceRow.name(record.status())))
                    .texts(column((write, record) -> OnceRow.name(record.ifAbandoned())))
                    .numbers(column((write, record) -> (long) record.attempts()))
                    .numbers(column((write, record) -> record.fence()))
                    .times(column((write, record) -> record.createdAt()))
                    .flags(newKeys())
                    .numbers(column((write, record) -> micros(write.life())))
                    .numbers(column((write, record) -> write.expected().fence()))
                    .texts(column(
                            (write, record) -> OnceRow.name(write.expected().status())))
                    .times(column((write, record) -> write.expected().deadline()))
                    .numbers(column((write, record) -> (long) write.quota().limit()))
                    .numbers(column((write, record) -> micros(write.quota().window())))
                    .numbers(column((write, record) -> record.response() == null
                            ? null
                            : (long) record.response().status()))
                    .texts(column((write, record) -> OnceRow.kind(record.response())))
                    .texts(column((write, record) -> record.response() == null
                            ? null
                            : HeaderText.of(record.response().headers())))
                    .bytes(bodies())
                    .texts(column((write, record) -> OnceRow.payload(record.response())));
        }
    }

    /** In whole microseconds, of which the rest is cut off. */
    static @Nullable Long micros(@Nullable Duration time) {
        if (time == null) {
            return null;
        }
        return ChronoUnit.MICROS.between(
                Instant.EPOCH, Instant.EPOCH.plus(time.compareTo(LONGEST) > 0 ? LONGEST : time));
    }

    private void bindPuts(Parameters to) throws SQLException {
        to.numbers(puts.i);
        bindIds(to, puts.column(DocumentWrite.Put::id))
                .numbers(puts.column(put -> put.document().version()))
                .times(puts.column(put -> put.document().createdAt()))
                .times(puts.column(put -> put.document().updatedAt()))
                .times(puts.column(put -> put.document().expiresAt()))
                .texts(puts.column(put -> put.document().writtenBy()))
                .texts(puts.column(put -> put.document().data().text()))
                .numbers(puts.column(put -> put.document().place()))
                .flags(puts.column(DocumentWrite.Put::wantsPlace))
                .texts(puts.column(DocumentRow::foundBy));
    }

    private Instant read(ResultSet rows) throws SQLException {
        Instant now = Instant.EPOCH;
        while (rows.next()) {
            now = OnceRow.instant(rows, 3);
            PendingCommit pending = commits.get(rows.getInt(1) - 1);
            CommitResult result = result(pending, rows);
            if (result != null) {
                pending.complete(result);
            }
        }
        return now;
    }

    private @Nullable CommitResult result(PendingCommit pending, ResultSet row) throws SQLException {
        return switch (row.getInt(2)) {
            case CommitSql.APPLIED, CommitSql.APPLIED_BEFORE -> new CommitResult.Applied(written(pending, row));
            case CommitSql.ONCE_CHANGED -> new CommitResult.OnceChanged();
            case CommitSql.STALE -> new CommitResult.Stale(looked.ids.get(row.getInt(7) - 1), row.getLong(8));
            case CommitSql.LIMITED -> new CommitResult.Limited(Duration.of(row.getLong(9), ChronoUnit.MICROS));
            default -> null;
        };
    }

    /** The record as it stands: whether it was written now or before, by this attempt and with what this says. */
    private static @Nullable OnceRecord written(PendingCommit pending, ResultSet row) throws SQLException {
        OnceWrite write = pending.commit.once();
        if (write == null) {
            return null;
        }
        OnceRecord record = write.record();
        return new OnceRecord(
                record.key(),
                record.clientTxId(),
                record.fingerprint(),
                record.status(),
                record.ifAbandoned(),
                record.attempts(),
                pending.commit.attempt(),
                row.getLong(4),
                OnceRow.instant(row, 5),
                OnceRow.optionalInstant(row, 6),
                record.response());
    }
}
