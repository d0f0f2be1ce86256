package dev.semel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.outbox.EntryIds.Writer;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EntryIdTest {

    private static final String ANN = EntryId.digest("ann");

    @Test
    void key_sortsByTime_andIsSplitIntoItsParts() {
        EntryId early = EntryId.of(1, ANN);
        EntryId late = EntryId.of(EntryId.micros(Instant.parse("2026-01-07T12:00:00.000001Z")), ANN);
        assertThat(early.key()).isEqualTo("00000000001-" + ANN).isLessThan(late.key());
        assertThat(early.laneKey()).isEqualTo(ANN + "-00000000001").isLessThan(late.laneKey());
        assertThat(EntryId.parse(late.key())).isEqualTo(late);
        assertThat(late.micros()).isEqualTo(1_767_787_200_000_001L);
        assertThat(late).hasToString(late.key());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "00000000001",
                "00000000001-",
                "00000000001-abcdefg",
                "00000000001-abcdefghi",
                "0000000000A-abcdefgh",
                "00000000001_abcdefgh",
                "00000000001-abcdefg-",
                "00000000001-abcdefgh\n",
                "../0000001-abcdefgh"
            })
    void otherTexts_areNoIds(String text) {
        assertThat(EntryId.isId(text)).isFalse();
    }

    @Test
    void digest_dependsOnTheLaneAlone_andHasEightCharacters() {
        assertThat(EntryId.digest("ann")).isEqualTo(ANN).matches("[0-9A-Za-z]{8}");
        assertThat(EntryId.isId("00000000001-" + ANN)).isTrue();
        Set<String> digests = new HashSet<>();
        for (int i = 0; i < 10_000; i++) {
            digests.add(EntryId.digest("lane" + i));
        }
        assertThat(digests).hasSize(10_000);
    }

    @Test
    void idsOfCommitsAndOfJdbcTransactions_neverCoincide() {
        Instant now = Instant.parse("2026-01-07T12:00:00Z");
        EntryIds commits = new EntryIds("queue");
        EntryIds transactions = new EntryIds("queue");
        Set<EntryId> ids = new HashSet<>();
        String last = "";
        for (int i = 0; i < 1_000; i++) {
            EntryId id = commits.next(ANN, now, Writer.COMMIT, scan -> List.of());
            assertThat(id.key()).isGreaterThan(last);
            last = id.key();
            ids.add(id);
            ids.add(transactions.next(ANN, now, Writer.JDBC_TRANSACTION, scan -> List.of()));
        }
        assertThat(ids).hasSize(2_000);
    }

    @Test
    void idsOfOneObject_riseForBothWriters_whenTheClockIsSetBack() {
        EntryIds ids = new EntryIds("queue");
        Instant now = Instant.parse("2026-01-07T12:00:00Z");
        String last = "";
        for (int i = 0; i < 100; i++) {
            Writer writer = i % 3 == 0 ? Writer.COMMIT : Writer.JDBC_TRANSACTION;
            EntryId id = ids.next(ANN, now.minusSeconds(i), writer, scan -> List.of());
            assertThat(id.key()).isGreaterThan(last);
            last = id.key();
        }
    }

    @Test
    void clockBefore1970_givesAnId() {
        EntryId id = new EntryIds("queue").next(ANN, Instant.EPOCH.minusSeconds(1), Writer.COMMIT, scan -> List.of());
        assertThat(EntryId.isId(id.key())).isTrue();
    }
}
