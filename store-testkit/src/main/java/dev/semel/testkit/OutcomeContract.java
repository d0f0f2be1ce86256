package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.once.Call;
import dev.semel.once.Once;
import dev.semel.once.Once.FailedResponse;
import dev.semel.once.Once.UnrecordedException;
import dev.semel.once.OperatorAction;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Response;
import dev.semel.store.admin.AdminStore;
import dev.semel.store.admin.StoreAdmin;
import dev.semel.store.admin.StoreAdmin.KeyQuery;
import dev.semel.store.admin.Sweeper;
import dev.semel.store.spi.CommitResult;
import dev.semel.store.spi.IdempotencyRecord;
import dev.semel.store.spi.IdempotencyRecord.Status;
import dev.semel.store.spi.IdempotencyWrite;
import dev.semel.store.spi.IdempotencyWrite.Precondition;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A record shows how its operation ended, also as a tombstone, until its key starts again. */
public interface OutcomeContract extends StoreFixture {

    /** A response of an operation that failed. */
    final class Unavailable extends Exception implements FailedResponse {

        private static final long serialVersionUID = 1L;

        Unavailable(@Nullable Throwable cause) {
            super("The service is closed", cause);
        }

        @Override
        public int status() {
            return 503;
        }
    }

    private IdempotencyRecord record(Call call) {
        return Objects.requireNonNull(stored(call));
    }

    private IdempotencyRecord failWith(Mode mode, Throwable thrown) {
        Call call = call("k");
        run(newOnce(), mode, call, () -> {
            throw StoreFixture.<RuntimeException>unchecked(thrown);
        });
        return record(call);
    }

    private static void assertShows(
            IdempotencyRecord record, Status status, @Nullable Integer outcome, @Nullable String cause) {
        assertThat(record.status()).isEqualTo(status);
        assertThat(record.outcome()).isEqualTo(outcome);
        assertThat(record.cause()).isEqualTo(cause);
    }

    private IdempotencyRecord writeFailed(String key, @Nullable Integer outcome, @Nullable String cause) {
        IdempotencyWrite plain = idempotencyWrite(call(key), Precondition.ABSENT, 0, Status.FAILED, null, null);
        IdempotencyRecord failed =
                plain.record().toBuilder().outcome(outcome).cause(cause).build();
        IdempotencyWrite write =
                new IdempotencyWrite(plain.precondition(), failed, plain.ttl(), plain.tombstoneTtl(), plain.quota());
        CommitResult result = store().compareAndSet(newCommitId(), write);
        return Objects.requireNonNull(((CommitResult.Applied) result).record());
    }

    @Test
    default void failedRecord_isReadWithItsOutcomeAndCause() {
        List<String> causes = List.of(
                "IllegalStateException: broken",
                "'; drop table \"a\"; -- \\ 50%_ {x}",
                "Zo\u00eb \u674e\u5c0f\u9f99 \ud83d\ude00",
                "c".repeat(IdempotencyRecord.LONGEST_CAUSE));
        for (String cause : causes) {
            IdempotencyRecord written = writeFailed(cause.hashCode() + "", 503, cause);
            assertShows(written, Status.FAILED, 503, cause);
            assertThat(stored(call(cause.hashCode() + ""))).isEqualTo(written);
        }
        assertShows(writeFailed("cause", null, "broken"), Status.FAILED, null, "broken");
        assertShows(record(call("cause")), Status.FAILED, null, "broken");
        assertShows(writeFailed("outcome", 500, null), Status.FAILED, 500, null);
        assertShows(record(call("outcome")), Status.FAILED, 500, null);
    }

    @Test
    default void causeOfAnyText_isKeptAsOneShortLine() {
        writeFailed("controls", null, "a\0b\r\nc\u0085d\u2028e\ud800");
        assertThat(record(call("controls")).cause()).isEqualTo("a b  c d e\ufffd");
        writeFailed("long", null, "c".repeat(IdempotencyRecord.LONGEST_CAUSE - 1) + "\ud83d\ude00");
        assertThat(record(call("long")).cause()).isEqualTo("c".repeat(IdempotencyRecord.LONGEST_CAUSE - 1));
    }

    @ParameterizedTest
    @EnumSource
    default void completedOperation_showsTheStatusOfItsResponse(Mode mode) {
        Map<String, Response> responses = Map.of(
                "done", Response.of(201, Map.of(), new byte[0]),
                "refused", Response.of(404, Map.of(), new byte[0]).asRefusal(),
                "large", Response.of(202, Map.of(), new byte[SETTINGS.responseLimit() + 1]));
        responses.forEach((key, response) -> {
            run(newOnce(), mode, call(key), () -> response);
            assertShows(record(call(key)), Status.COMPLETED, response.status(), null);
        });
    }

    @ParameterizedTest
    @EnumSource
    default void failedOperation_showsClassAndMessageOfItsException(Mode mode) {
        assertShows(
                failWith(mode, new IllegalStateException("broken")),
                Status.FAILED,
                null,
                "IllegalStateException: broken");
        assertShows(failWith(mode, new AssertionError()), Status.FAILED, null, "AssertionError");
    }

    /** A database driver appends the values of rows, which may belong to others. */
    @ParameterizedTest
    @EnumSource
    default void cause_isTheFirstLineOfAMessage(Mode mode) {
        assertShows(
                failWith(mode, new IllegalStateException("duplicate key \n  Detail: Key (name)=(bob) exists")),
                Status.FAILED,
                null,
                "IllegalStateException: duplicate key");
    }

    @ParameterizedTest
    @EnumSource
    default void exceptionThatCannotReturnItsMessage_isShownByItsClass(Mode mode) {
        class Faulty extends RuntimeException {
            private static final long serialVersionUID = 1L;

            @Override
            public String getMessage() {
                throw new UnsupportedOperationException();
            }
        }
        assertThat(failWith(mode, new Faulty()).cause()).endsWith("Faulty");
    }

    @ParameterizedTest
    @EnumSource
    default void operationThatFailedWithAResponse_showsItsStatus(Mode mode) {
        assertShows(failWith(mode, new Unavailable(null)), Status.FAILED, 503, "The service is closed");
        assertShows(
                failWith(mode, new Unavailable(new IllegalStateException("closed"))),
                Status.FAILED,
                503,
                "IllegalStateException: closed");
    }

    @Test
    default void leasedOperation_thatIsNotRecorded_showsWhy() {
        assertShows(
                failWith(Mode.LEASED, new UnrecordedException("not now")),
                Status.FAILED,
                null,
                "UnrecordedException: not now");
    }

    @ParameterizedTest
    @EnumSource
    default void keyThatStartsAgain_showsNoOutcomeAndCause(Mode mode) {
        failWith(mode, new Unavailable(null));
        run(mode, call("k"), "done");
        assertShows(record(call("k")), Status.COMPLETED, 200, null);
        time().advance(SETTINGS.retention());
        assertShows(failWith(mode, new IllegalStateException()), Status.FAILED, null, "IllegalStateException");
    }

    @Test
    default void leasedOperationInProgress_showsNoOutcomeAndCause() {
        failWith(Mode.LEASED, new Unavailable(null));
        AtomicReference<IdempotencyRecord> seen = new AtomicReference<>();
        Once once = newOnce();
        once.leased(call("k"), IfAbandoned.RERUN, lease -> {
            seen.set(record(call("k")));
            return Response.of("done");
        });
        assertShows(Objects.requireNonNull(seen.get()), Status.PROCESSING, null, null);
    }

    @Test
    default void unknownOperation_showsNoOutcomeAndCause() {
        failWith(Mode.LEASED, new Unavailable(null));
        newOnce().leased(call("k"), IfAbandoned.FREEZE, lease -> {
            throw new Once.UnknownOutcomeException("no response", null);
        });
        assertShows(record(call("k")), Status.UNKNOWN, null, null);
    }

    @Test
    default void keyThatAnOperatorChanged_showsIt() {
        claimAndCrash(call("k"), IfAbandoned.RERUN);
        perform(OperatorAction.RELEASE);
        assertShows(record(call("k")), Status.FAILED, null, "Released by an operator");
        perform(OperatorAction.COMPLETE);
        assertShows(record(call("k")), Status.COMPLETED, 200, null);
        perform(OperatorAction.EXPIRE);
        assertShows(record(call("k")), Status.COMPLETED, 200, null);
    }

    private void perform(OperatorAction action) {
        IdempotencyWrite write =
                Objects.requireNonNull(action.on(store().find(call("k").key()), SETTINGS, Response.of("by hand")));
        assertThat(store().compareAndSet(newCommitId(), write)).isInstanceOf(CommitResult.Applied.class);
    }

    @ParameterizedTest
    @EnumSource
    @Needs(AdminStore.class)
    default void tombstone_showsOutcomeAndCause(Mode mode) {
        run(
                newOnce(),
                mode,
                call("refused"),
                () -> Response.of(404, Map.of(), new byte[] {1}).asRefusal());
        failWith(mode, new Unavailable(null));
        time().advance(SETTINGS.failedRetention());
        StoreAdmin admin = ((AdminStore) store()).admin();
        new Sweeper(admin, time()).sweep();

        IdempotencyRecord refused = record(call("refused"));
        assertThat(refused.response()).isNull();
        assertShows(refused, Status.COMPLETED, 404, null);
        assertShows(record(call("k")), Status.FAILED, 503, "The service is closed");
        assertThat(admin.list(KeyQuery.all(10).ofUser("ann")).records())
                .containsExactlyInAnyOrder(refused, record(call("k")));

        run(mode, call("refused"), "done");
        assertShows(record(call("refused")), Status.COMPLETED, 200, null);
    }
}
