package dev.semel.testkit;

import static dev.semel.testkit.StoreFixture.commitOf;
import static dev.semel.testkit.StoreFixture.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.json.Json;
import dev.semel.store.Capability;
import dev.semel.store.Commit;
import dev.semel.store.CommitResult;
import dev.semel.store.Document;
import dev.semel.store.DocumentWrite;
import dev.semel.store.Expected;
import dev.semel.store.IfAbandoned;
import dev.semel.store.OnceStatus;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.Transactions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Asking again with the same attempt id is answered, not done again. */
public interface AttemptContract extends StoreFixture {

    @Test
    default void sameAttempt_isAppliedOnce() {
        needs(Capability.COMMIT);
        Commit creation = commitOf("attempt-1", Map.of(id("a"), 0L), document("a", 1, "1"));
        CommitResult first = store().commit(creation);
        assertThat(store().commit(creation)).isEqualTo(first).isEqualTo(new CommitResult.Applied(null));
    }

    @Test
    default void sameAttempt_isKnown_afterOthersHaveWrittenOverIt() {
        needs(Capability.COMMIT);
        Commit creation = commitOf("attempt-1", Map.of(id("a"), 0L), document("a", 1, "1"));
        CommitResult first = store().commit(creation);
        commit(Map.of(id("a"), 1L), document("a", 2, "2"));
        assertThat(store().commit(creation)).isEqualTo(first);
        assertThat(store().read(id("a"))).map(Document::data).contains(Json.of("2"));
    }

    @Test
    default void sameAttempt_toDelete_isKnown() {
        needs(Capability.COMMIT);
        commit(Map.of(), document("a", 1, "1"));
        Commit deletion = new Commit(
                "attempt-2",
                null,
                Map.of(id("a"), StoreFixture.writer(1)),
                List.of(new DocumentWrite.Delete(id("a"), List.of())));
        CommitResult first = store().commit(deletion);
        commit(Map.of(id("a"), 0L), document("a", 1, "2"));
        assertThat(store().commit(deletion)).isEqualTo(first);
        assertThat(store().read(id("a"))).isPresent();
    }

    @Test
    default void attemptThatWasNotApplied_isTriedAnew() {
        needs(Capability.COMMIT);
        Commit update = commitOf("attempt-1", Map.of(id("a"), 1L), document("a", 2, "2"));
        assertThat(store().commit(update)).isInstanceOf(CommitResult.Stale.class);
        commit(Map.of(), document("a", 1, "1"));
        assertThat(store().commit(update)).isInstanceOf(CommitResult.Applied.class);
    }

    @Test
    default void sameClaim_isGrantedOnce_withTheSameFence() {
        var call = StoreFixture.call("k");
        Commit claim = Commit.of(
                "attempt-1", onceWrite(call, Expected.ABSENT, 0, OnceStatus.PROCESSING, IfAbandoned.RERUN, null));
        CommitResult first = store().commit(claim);
        assertThat(store().commit(claim)).isEqualTo(first);
        Commit another = Commit.of("attempt-2", Objects.requireNonNull(claim.once()));
        assertThat(store().commit(another)).isEqualTo(new CommitResult.OnceChanged());
    }

    @Test
    default void sameCompletion_isKnown_andAnotherOwnersIsRefused() {
        var call = StoreFixture.call("k");
        long fence = claimAndVanish(call, IfAbandoned.RERUN).fence();
        Commit completion = Commit.of(
                "attempt-1",
                onceWrite(
                        call,
                        Expected.ownedBy(fence),
                        fence,
                        OnceStatus.COMPLETED,
                        IfAbandoned.RERUN,
                        Response.of("done")));
        CommitResult first = store().commit(completion);
        assertThat(first).isInstanceOf(CommitResult.Applied.class);
        assertThat(store().commit(completion)).isEqualTo(first);
        Commit another = Commit.of("attempt-2", Objects.requireNonNull(completion.once()));
        assertThat(store().commit(another)).isEqualTo(new CommitResult.OnceChanged());
    }

    @Test
    default void lostAnswers_areAskedForAgain_andNothingIsDoneTwice() {
        needs(Capability.COMMIT);
        FaultyStore faulty = new FaultyStore(store());
        Transactions transactions = new Transactions(faulty, time());
        faulty.loseAnswers(3);
        CommitResult result = transactions.commit(commitOf("a-1", Map.of(id("a"), 0L), document("a", 1, "1")));
        assertThat(result).isInstanceOf(CommitResult.Applied.class);
        assertThat(faulty.commits()).isEqualTo(4);
        faulty.failBefore(3);
        result = transactions.commit(commitOf("a-2", Map.of(id("a"), 1L), document("a", 2, "1")));
        assertThat(result).isInstanceOf(CommitResult.Applied.class);
    }

    @Test
    default void storeThatStaysDown_isGivenUp() {
        FaultyStore faulty = new FaultyStore(store());
        faulty.goDown();
        Transactions transactions = new Transactions(faulty, time());
        assertThatThrownBy(() -> transactions.commit(Commit.of(
                        "a", onceWrite(StoreFixture.call("k"), Expected.ABSENT, 0, OnceStatus.FAILED, null, null))))
                .isInstanceOf(StoreException.class);
        assertThat(faulty.commits()).isEqualTo(4);
    }
}
