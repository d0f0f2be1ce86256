package dev.semel.server.migration;

import static dev.semel.server.migration.MigrationFixture.ANN;
import static dev.semel.server.migration.MigrationFixture.BOB;
import static dev.semel.server.migration.MigrationFixture.GOLF;
import static dev.semel.server.migration.MigrationFixture.VOTE;
import static dev.semel.server.migration.MigrationFixture.contents;
import static dev.semel.server.migration.MigrationFixture.lines;
import static dev.semel.server.migration.MigrationFixture.merging;
import static dev.semel.server.migration.MigrationFixture.read;
import static dev.semel.server.migration.MigrationFixture.reputation;
import static dev.semel.server.migration.MigrationFixture.reputationKey;
import static dev.semel.server.migration.MigrationFixture.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.document.DocumentCollection;
import dev.semel.document.Transactions;
import dev.semel.id.IdSchemes;
import dev.semel.json.Json;
import dev.semel.key.KeyTemplate;
import dev.semel.memory.MemoryStore;
import dev.semel.server.migration.Migration.Rollback;
import dev.semel.server.migration.Migration.Verification;
import dev.semel.server.migration.MigrationFixture.Report;
import dev.semel.server.migration.MigrationState.Counts;
import dev.semel.server.migration.MigrationState.Phase;
import dev.semel.store.Document;
import dev.semel.store.Time;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MigrationTest {

    private final MemoryStore store = new MemoryStore();
    private final Migration migration = new Migration(store, Time.system());
    private final Report report = new Report();

    private MigrationState run(String... lines) {
        return migration.run(lines(lines), MigrationOptions.DEFAULTS, report);
    }

    @ParameterizedTest
    @ValueSource(strings = {"USR=%s_TAG=%s", "USR_%s_TAG_%s", "usr_%s_tag_%s"})
    void keyThatContainsItsParts_getsTheCompositeForm_andOwnerBecomesUser(String form) {
        MigrationState state = run(reputation(
                String.format(form, ANN, GOLF),
                ",\"version\":7,\"createdAt\":\"2025-01-01T00:00:00Z\",\"updatedAt\":\"2025-02-01T02:00:00+02:00\"",
                "{\"points\":1.50,\"owner\":\"67E55044-10B1-426F-9247-BB680E5FE0C8\",\"n\":null}"));
        assertThat(report.leftOut).isEmpty();
        assertThat(state.total()).isEqualTo(new Counts(1, 0, 0));
        Document document = read(store, "reputations", reputationKey());
        assertThat(document.version()).isEqualTo(7);
        assertThat(document.createdAt()).isEqualTo(Instant.parse("2025-01-01T00:00:00Z"));
        assertThat(document.updatedAt()).isEqualTo(Instant.parse("2025-02-01T00:00:00Z"));
        assertThat(document.data().text()).isEqualTo("{\"points\":1.50,\"user\":\"" + ANN + "\",\"n\":null}");
    }

    @Test
    void documents_areFoundByAllTheirIndexes() {
        run(
                "{\"collection\":\"votes\",\"key\":\"USR_" + ANN + "_TAG_" + GOLF + "_TAR_" + BOB + "_KEY_" + VOTE
                        + "\",\"data\":1}",
                "{\"collection\":\"tags\",\"key\":\"usr_" + ANN + "_tag_" + GOLF + "\",\"data\":2}");
        MemoryStore users = new MemoryStore();
        write(users, "votes", "usr_" + ANN + "_tag_" + GOLF + "_tar_" + BOB + "_key_" + VOTE, "1");
        write(users, "tags", reputationKey(), "2");
        assertThat(contents(store).keySet()).isEqualTo(contents(users).keySet()).hasSize(4);
    }

    @Test
    void legacyId_getsTheSameUuidWhereverItOccurs_alsoInLaterRuns() {
        run(
                "{\"collection\":\"users\",\"key\":\"alice\",\"data\":{}}",
                "{\"collection\":\"votes\",\"key\":\"n1\",\"data\":{\"owner\":\"alice\",\"tag\":17,\"target\":\"bob\"}}",
                reputation("USR=alice_TAG=17", "", "{\"owner\":\"someone\"}"));
        run("{\"collection\":\"tags\",\"key\":\"17\",\"data\":{\"user\":\"alice\"}}");
        assertThat(report.leftOut).isEmpty();
        List<String> keys = contents(store).keySet().stream()
                .filter(key -> !key.contains("{"))
                .toList();
        String alice = keys.stream()
                .filter(key -> key.startsWith("users"))
                .findFirst()
                .orElseThrow()
                .substring("users usr_".length());
        assertThat(IdSchemes.UUID4S.isValid(alice)).isTrue();
        Map<String, String> tag = keyParts(keys, "tags", "usr_{user:uuid4s}_tag_{tag:uuid4s}");
        assertThat(tag).containsEntry("user", alice);
        assertThat(keyParts(keys, "reputations", "usr_{user:uuid4s}_tag_{tag:uuid4s}"))
                .isEqualTo(tag);
        Map<String, String> vote =
                keyParts(keys, "votes", "usr_{user:uuid4s}_tag_{tag:uuid4s}_tar_{target:uuid4s}_key_{key:uuid4s}");
        assertThat(vote).containsAllEntriesOf(tag);
        assertThat(new HashSet<>(vote.values())).hasSize(4);
        assertThat(contents(store).get("tags usr_" + alice + "_tag_" + tag.get("tag")))
                .endsWith("{\"user\":\"" + alice + "\"}");
        assertThat(contents(store).get("reputations usr_" + alice + "_tag_" + tag.get("tag")))
                .endsWith("{\"user\":\"someone\"}");
    }

    private static Map<String, String> keyParts(List<String> keys, String type, String template) {
        return keys.stream()
                .filter(key -> key.startsWith(type + " "))
                .findFirst()
                .map(key -> KeyTemplate.of(template).parse(key.substring(type.length() + 1)))
                .orElseThrow();
    }

    @Test
    void parts_comeFromTheMappedFields() {
        MigrationOptions options = new MigrationOptions(
                PartMapping.parse("user=data.by.id,tag=data.about,key=data.id").orElseThrow(), MergeRule.LIST);
        migration.run(
                lines("{\"collection\":\"votes\",\"key\":\"n1\",\"data\":{\"by\":{\"id\":\"" + ANN + "\"},\"about\":\""
                        + GOLF + "\",\"target\":\"" + BOB + "\",\"id\":\"" + VOTE + "\"}}"),
                options,
                report);
        assertThat(contents(store)).containsKey("votes usr_" + ANN + "_tag_" + GOLF + "_tar_" + BOB + "_key_" + VOTE);
    }

    /** Each kind of a malformed line is left out with its line, key and reason, and the lines around it are migrated. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"collection\":\"votes\"|null: the line is not JSON: column 22: expected a comma or }, but the text ends",
                "[]|null: the line is not a JSON object",
                "{\"key\":\"k\",\"data\":{}}|k: collection is missing",
                "{\"collection\":\"posts\",\"key\":\"k\",\"data\":{}}"
                        + "|k: collection must be one of [reputations, tags, users, votes]",
                "{\"collection\":\"tags\",\"data\":{}}|null: key is missing",
                "{\"collection\":\"tags\",\"key\":\"\",\"data\":{}}|: key must be a text of 1 to 1024 characters",
                "{\"collection\":\"users\",\"key\":\"k\"}|k: data is missing",
                "{\"collection\":\"users\",\"key\":\"k\",\"data\":{},\"dat\":1}|k: the line has an unknown member \"dat\"",
                "{\"collection\":\"votes\",\"key\":\"USR_a_TAG_b\",\"data\":{}}"
                        + "|USR_a_TAG_b: the key fits no form of votes, such as"
                        + " usr_{user:uuid4s}_tag_{tag:uuid4s}_tar_{target:uuid4s}_key_{key:uuid4s}",
                "{\"collection\":\"tags\",\"key\":\"USR=_TAG=b\",\"data\":{}}"
                        + "|USR=_TAG=b: the key fits no form of tags, such as usr_{user:uuid4s}_tag_{tag:uuid4s}",
                "{\"collection\":\"votes\",\"key\":\"k\",\"data\":{\"owner\":\"a\",\"tag\":\"b\"}}"
                        + "|k: the key does not contain its parts, and its target is missing: data.target",
                "{\"collection\":\"tags\",\"key\":\"k\",\"data\":1}"
                        + "|k: the key does not contain its parts, and its user is missing: data.user or data.owner",
                "{\"collection\":\"tags\",\"key\":\"k\",\"data\":{\"user\":{}}}"
                        + "|k: data.user is neither a text nor a whole number",
                "{\"collection\":\"users\",\"key\":\"k\",\"version\":0,\"data\":{}}"
                        + "|k: version must be a whole number from 1 on",
                "{\"collection\":\"users\",\"key\":\"k\",\"version\":1.5,\"data\":{}}"
                        + "|k: version must be a whole number from 1 on",
                "{\"collection\":\"users\",\"key\":\"k\",\"version\":9007199254740992,\"data\":{}}"
                        + "|k: version must be at most 9007199254740991",
                "{\"collection\":\"users\",\"key\":\"k\",\"version\":9223372036854775808,\"data\":{}}"
                        + "|k: version must be at most 9007199254740991",
                "{\"collection\":\"users\",\"key\":\"k\",\"createdAt\":\"yesterday\",\"data\":{}}"
                        + "|k: createdAt must be a time such as 2026-01-07T12:00:00Z",
                "{\"collection\":\"users\",\"key\":\"k\",\"createdAt\":\"2025-01-02T00:00:00Z\",\"updatedAt\":"
                        + "\"2025-01-01T00:00:00Z\",\"data\":{}}|k: updatedAt is before createdAt",
                "{\"collection\":\"users\",\"key\":\"k\",\"data\":{\"owner\":\"a\",\"user\":\"b\"}}"
                        + "|k: data.owner and data.user differ",
            })
    void malformedLine_isLeftOut_andTheRestGoesOn(String line, String reason) {
        MigrationState state = run(
                "{\"collection\":\"users\",\"key\":\"before\",\"data\":{}}",
                "",
                line,
                "{\"collection\":\"users\",\"key\":\"after\",\"data\":{}}");
        assertThat(report.leftOut).hasSize(1);
        assertThat(report.leftOut.get(0)).isEqualTo("3 " + reason);
        assertThat(state.total()).isEqualTo(new Counts(2, 0, 1));
        assertThat(state.phase()).isEqualTo(Phase.COMPLETE);
        assertThat(state.line()).isEqualTo(4);
        assertThat(contents(store)).hasSize(2);
    }

    @Test
    void lineThatIsNotUtf8OrTooLong_isLeftOut_andItsBytesAreInTheJournal() {
        byte[] longLine = new byte[SourceLine.LONGEST + 10];
        Arrays.fill(longLine, (byte) 'x');
        longLine[0] = (byte) 0xFF;
        longLine[3] = '\n';
        MigrationState state = migration.run(MigrationFixture.source(longLine), MigrationOptions.DEFAULTS, report);
        assertThat(state.total()).isEqualTo(new Counts(0, 0, 2));
        assertThat(report.leftOut.get(0)).startsWith("1 null: the line is not JSON: column 1");
        assertThat(report.leftOut.get(1)).isEqualTo("2 null: the line has more than 1114112 bytes");
        JournalEntry first = new Journal(store, 1).entries().next();
        assertThat(first.line().bytes()).isEqualTo(new byte[] {(byte) 0xFF, 'x', 'x'});
        assertThat(migration.verify(report).failures()).isZero();
    }

    @Test
    void duplicates_areLeftOut_ifNoRuleMergesThem() {
        run(
                reputation("USR=" + ANN + "_TAG=" + GOLF, "", "{\"points\":1}"),
                reputation("USR_" + ANN + "_TAG_" + GOLF, "", "{\"points\":2}"));
        assertThat(report.leftOut)
                .containsExactly("2 USR_" + ANN + "_TAG_" + GOLF + ": it has the same key as line 1, " + reputationKey()
                        + ", and no rule merges them");
        assertThat(read(store, "reputations", reputationKey()).data().text()).isEqualTo("{\"points\":1}");
    }

    /** The result of a merge depends neither on the order of the lines nor on the batches. */
    @ParameterizedTest
    @CsvSource({"newest, 1", "newest, 2", "newest, 100", "sum:points, 1", "sum:points, 3", "sum:data.points, 100"})
    void duplicates_areMerged_whateverTheBatches(String rule, int batch) {
        List<String> lines = new ArrayList<>();
        lines.add(duplicate(3, "2025-03-01", "0.1"));
        lines.add(duplicate(9, "2025-04-01", "0.2"));
        lines.add(duplicate(8, "2025-04-01", "1e2"));
        lines.add(duplicate(1, "2025-01-01", "9007199254740993"));
        lines.add(reputation("USR=other_TAG=x", "", "{}"));
        for (int seed = 0; seed < 5; seed++) {
            Collections.shuffle(lines, new Random(seed));
            MemoryStore target = new MemoryStore();
            MigrationState state = new Migration(target, Time.system(), batch)
                    .run(lines(lines.toArray(String[]::new)), merging(rule), report);
            assertThat(report.leftOut).isEmpty();
            assertThat(state.total()).isEqualTo(new Counts(2, 3, 0));
            Document merged = read(target, "reputations", reputationKey());
            assertThat(merged.version()).isEqualTo(9);
            assertThat(merged.updatedAt()).isEqualTo(Instant.parse("2025-04-01T00:00:00Z"));
            assertThat(merged.createdAt())
                    .isEqualTo(Instant.parse(rule.equals("newest") ? "2024-09-01T00:00:00Z" : "2024-01-01T00:00:00Z"));
            assertThat(merged.data().text())
                    .isEqualTo("{\"v\":9,\"points\":" + (rule.equals("newest") ? "0.2" : "9007199254741093.3") + "}");
            assertThat(new Migration(target, Time.system()).verify(report).matching())
                    .isEqualTo(2);
        }
    }

    private static String duplicate(int version, String updated, String points) {
        return reputation(
                "USR=" + ANN + "_TAG=" + GOLF,
                ",\"version\":" + version + ",\"createdAt\":\"2024-0" + version + "-01T00:00:00Z\",\"updatedAt\":\""
                        + updated + "T00:00:00Z\"",
                "{\"v\":" + version + ",\"points\":" + points + "}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"points\":\"1\"}", "{\"points\":1e-5000}", "17"})
    void documentWithoutTheNumber_isNotAddedUp(String data) {
        String one = reputation("USR=" + ANN + "_TAG=" + GOLF, "", "{\"points\":1}");
        String other = reputation("USR=" + ANN + "_TAG=" + GOLF, "", data);
        migration.run(lines(one, other), merging("sum:points"), report);
        assertThat(report.leftOut)
                .containsExactly("2 USR=" + ANN + "_TAG=" + GOLF + ": it has the same key as line 1, " + reputationKey()
                        + ", and no number at data.points");
    }

    @Test
    void documentOfAUser_wins_andIsListed() {
        write(store, "reputations", reputationKey(), "\"mine\"");
        Map<String, String> before = contents(store);
        MigrationState state = run(reputation("USR=" + ANN + "_TAG=" + GOLF, "", "{}"));
        assertThat(report.leftOut)
                .containsExactly("1 USR=" + ANN + "_TAG=" + GOLF + ": the target already has a document with the key "
                        + reputationKey());
        assertThat(state.total()).isEqualTo(new Counts(0, 0, 1));
        assertThat(contents(store)).isEqualTo(before);
    }

    @Test
    void documentThatAUserHasChanged_isNotMerged() {
        String line = reputation("USR=" + ANN + "_TAG=" + GOLF, "", "{\"points\":1}");
        migration.run(lines(line), merging("newest"), report);
        write(store, "reputations", reputationKey(), "\"mine\"");
        migration.run(lines(line, line), merging("newest"), report);
        assertThat(report.leftOut)
                .containsExactly("2 USR=" + ANN + "_TAG=" + GOLF + ": it has the same key as line 1, " + reputationKey()
                        + ", whose document was changed since");
        assertThat(read(store, "reputations", reputationKey()).data().text()).isEqualTo("\"mine\"");
        assertThat(migration.verify(report)).isEqualTo(new Verification(1, 0, 1, 0));
    }

    @Test
    void completeMigration_runAgain_changesNothing_andReportsTheSame() {
        String[] lines = {"poison", reputation("USR=" + ANN + "_TAG=" + GOLF, "", "{}")};
        MigrationState first = run(lines);
        Map<String, String> before = contents(store);
        List<String> leftOut = List.copyOf(report.leftOut);
        report.leftOut.clear();
        assertThat(run(lines)).isEqualTo(first);
        assertThat(report.leftOut).isEqualTo(leftOut).hasSize(1);
        assertThat(contents(store)).isEqualTo(before);
        assertThat(migration.status()).containsExactly(first);
    }

    @Test
    void sourceThatHasGrown_isContinued_andAnotherOneIsASecondMigration() {
        run("{\"collection\":\"users\",\"key\":\"a\",\"data\":{}}");
        assertThat(run(
                                "{\"collection\":\"users\",\"key\":\"a\",\"data\":{}}",
                                "{\"collection\":\"users\",\"key\":\"b\",\"data\":{}}")
                        .total())
                .isEqualTo(new Counts(2, 0, 0));
        assertThat(run("{\"collection\":\"users\",\"key\":\"c\",\"data\":{}}").number())
                .isEqualTo(2);
        assertThat(contents(store)).hasSize(3);
        assertThat(migration.verify(report)).isEqualTo(new Verification(3, 3, 0, 0));
    }

    @Test
    void sourceThatWasEmpty_isContinuedFromItsFirstLine() {
        run();
        assertThat(run(
                                "{\"collection\":\"users\",\"key\":\"a\",\"data\":{}}",
                                "{\"collection\":\"users\",\"key\":\"b\",\"data\":{}}")
                        .total())
                .isEqualTo(new Counts(2, 0, 0));
        assertThat(contents(store)).hasSize(2);
    }

    /** Wherever a pipe is cut, also twice in the same line, the complete source is migrated by the next run. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 500})
    void sourceThatWasCut_isContinuedWithTheWholeLine(int batchSize) {
        String[] lines = {
            "{\"collection\":\"users\",\"key\":\"a\",\"data\":{}}",
            "poison",
            "{\"collection\":\"users\",\"key\":\"b\",\"data\":{}}",
            "{\"collection\":\"users\",\"key\":\"c\",\"data\":{}}"
        };
        Migration migration = new Migration(store, Time.system(), batchSize);
        for (int end : new int[] {1, 10, 49}) {
            MigrationState cut = migration.run(
                    lines(lines[0], lines[1], lines[2].substring(0, Math.min(end, lines[2].length() - 1))),
                    MigrationOptions.DEFAULTS,
                    MigrationListener.NONE);
            assertThat(cut.total()).isEqualTo(new Counts(1, 0, 2));
        }
        MigrationState state = migration.run(lines(lines), MigrationOptions.DEFAULTS, report);
        assertThat(state.number()).isEqualTo(1);
        assertThat(state.total()).isEqualTo(new Counts(3, 0, 1));
        assertThat(report.leftOut).singleElement().asString().startsWith("2 ");
        assertThat(contents(store)).hasSize(3);
        assertThat(migration.verify(report)).isEqualTo(new Verification(3, 3, 0, 0));
    }

    @Test
    void sourceThatHasChanged_isRejected() {
        run("{\"collection\":\"users\",\"key\":\"a\",\"data\":{}}", "poison");
        assertThatThrownBy(() -> run("{\"collection\":\"users\",\"key\":\"a\",\"data\":{}}", "{}"))
                .isInstanceOf(MigrationException.class)
                .hasMessageStartingWith("Migration 1 has read the source before, and line 2 has changed since.");
        assertThatThrownBy(() -> run("{\"collection\":\"users\",\"key\":\"a\",\"data\":{}}"))
                .hasMessageStartingWith("Migration 1 has read the source before, and it ends before line 2 now.");
    }

    @Test
    void migrationThatIsNotComplete_isNotContinuedWithAnotherSourceOrOtherOptions() {
        String[] lines = {"{\"collection\":\"users\",\"key\":\"a\",\"data\":{}}", "poison", "poison"};
        KillingStore killing = new KillingStore(store, 4, true);
        assertThatThrownBy(() ->
                        new Migration(killing, Time.system(), 1).run(lines(lines), MigrationOptions.DEFAULTS, report))
                .isInstanceOf(KillingStore.Killed.class);
        assertThatThrownBy(() -> run("{}"))
                .hasMessage("Migration 1, of old.ndjson, is not complete, and has another source. Run it to its end,"
                        + " or roll it back first");
        assertThatThrownBy(() -> migration.run(lines(lines), merging("newest"), report))
                .hasMessage("Migration 1, of old.ndjson, is not complete, and has other options: --merge list. Run it"
                        + " to its end, or roll it back first");
        assertThat(run(lines).total()).isEqualTo(new Counts(1, 0, 2));
    }

    /** Whether a run is killed before or after any of its commits, the next one has the result of a run that was not killed. */
    @ParameterizedTest
    @CsvSource({"newest, true", "newest, false", "sum:points, true", "sum:points, false"})
    void runThatIsKilledAtAnyCommit_isContinued(String rule, boolean afterCommit) {
        String[] lines = manyLines();
        MemoryStore unkilled = new MemoryStore();
        Report expected = new Report();
        Counts counts = new Migration(unkilled, Time.system(), 4)
                .run(lines(lines), merging(rule), expected)
                .total();
        int killed = 0;
        for (int commits = 1; ; commits++) {
            MemoryStore target = new MemoryStore();
            KillingStore killing = new KillingStore(target, commits, afterCommit);
            try {
                new Migration(killing, Time.system(), 4).run(lines(lines), merging(rule), MigrationListener.NONE);
                break;
            } catch (KillingStore.Killed e) {
                killed++;
            }
            Report continued = new Report();
            MigrationState state = new Migration(target, Time.system(), 4).run(lines(lines), merging(rule), continued);
            assertThat(state.phase()).isEqualTo(Phase.COMPLETE);
            assertThat(state.total()).isEqualTo(counts);
            assertThat(continued.leftOut).isEqualTo(expected.leftOut).hasSize(2);
            assertThat(contents(target)).isEqualTo(contents(unkilled));
            assertThat(new Migration(target, Time.system()).verify(report).failures())
                    .isZero();
        }
        assertThat(killed).isGreaterThan(8);
    }

    /** Lines whose times are given, and whose ids are UUIDs, so that each run has the same result. */
    private static String[] manyLines() {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            lines.add(reputation(
                    "USR=" + ANN + "_TAG=" + GOLF.substring(0, 31) + i % 9,
                    ",\"version\":" + (i * 7 % 24 + 1)
                            + ",\"createdAt\":\"2025-01-01T00:00:00Z\",\"updatedAt\":\"2025-01-" + (10 + i * 5 % 12)
                            + "T00:00:00Z\"",
                    "{\"points\":" + (i + 1) + "}"));
        }
        lines.add(11, "poison");
        lines.add(12, "{\"collection\":\"votes\",\"key\":\"n\",\"data\":{}}");
        return lines.toArray(String[]::new);
    }

    /** Whether a rollback is killed before or after any of its commits, the next one ends with the documents of before. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void rollbackThatIsKilledAtAnyCommit_isContinued(boolean afterCommit) {
        for (int runCommits : new int[] {4, 100}) {
            for (int commits = 1; ; commits++) {
                MemoryStore target = new MemoryStore();
                write(target, "tags", reputationKey(), "\"mine\"");
                Map<String, String> before = contents(target);
                try {
                    new Migration(new KillingStore(target, runCommits, true), Time.system(), 4)
                            .run(lines(manyLines()), merging("newest"), MigrationListener.NONE);
                } catch (KillingStore.Killed e) {
                    // it is half done
                }
                assertThat(contents(target)).isNotEqualTo(before);
                boolean killed = false;
                try {
                    new Migration(new KillingStore(target, commits, afterCommit), Time.system(), 4).rollback(0, report);
                } catch (KillingStore.Killed e) {
                    killed = true;
                }
                Rollback rollback = new Migration(target, Time.system(), 4).rollback(0, report);
                assertThat(rollback.changed()).isZero();
                assertThat(rollback.state().phase()).isEqualTo(Phase.ROLLED_BACK);
                assertThat(contents(target)).isEqualTo(before);
                assertThat(new Journal(target, 1).entries().hasNext()).isFalse();
                if (!killed) {
                    break;
                }
            }
        }
    }

    @Test
    void rollback_isRejected_ifADocumentWasChanged_andChangesNothing() {
        run(
                reputation("USR=" + ANN + "_TAG=" + GOLF, "", "{}"),
                "{\"collection\":\"users\",\"key\":\"USR=" + ANN + "\",\"data\":{}}");
        write(store, "reputations", reputationKey(), "\"mine\"");
        Map<String, String> before = contents(store);
        Rollback rollback = migration.rollback(0, report);
        assertThat(rollback.changed()).isEqualTo(1);
        assertThat(rollback.state().phase()).isEqualTo(Phase.COMPLETE);
        assertThat(report.differences)
                .containsExactly("reputations/" + reputationKey() + " true: it was changed since, and has version 2");
        assertThat(contents(store)).isEqualTo(before);
        assertThat(migration.verify(report)).isEqualTo(new Verification(2, 1, 1, 0));
    }

    @Test
    void migration_runsAgainAfterARollback_withTheSameIds() {
        String line = "{\"collection\":\"users\",\"key\":\"alice\",\"data\":{}}";
        run(line);
        Set<String> keys = contents(store).keySet();
        migration.rollback(0, report);
        assertThat(contents(store)).isEmpty();
        assertThatThrownBy(() -> migration.verify(report)).isInstanceOf(MigrationException.class);
        assertThat(run(line).number()).isEqualTo(2);
        assertThat(contents(store).keySet()).isEqualTo(keys);
        assertThatThrownBy(() -> migration.rollback(3, report)).hasMessage("There is no migration 3 in this store");
        assertThat(migration.rollback(1, report).state().phase()).isEqualTo(Phase.ROLLED_BACK);
        assertThat(contents(store).keySet()).isEqualTo(keys);
    }

    @Test
    void verify_findsWhatIsDamagedOrMissing() {
        run(
                "{\"collection\":\"users\",\"key\":\"USR=" + ANN + "\",\"data\":{\"n\":1}}",
                "{\"collection\":\"users\",\"key\":\"USR=" + BOB + "\",\"data\":{}}");
        Document ann = read(store, "users", "usr_" + ANN);
        Document damaged = new Document(
                ann.id(),
                ann.version(),
                ann.createdAt(),
                ann.updatedAt(),
                null,
                Json.of("{\"n\":2}"),
                ann.commitId(),
                0);
        store.commit(new Commit(
                ann.commitId() + "x",
                null,
                Map.of(),
                List.of(
                        new DocumentWrite.Put(damaged, List.of()),
                        new DocumentWrite.Delete(
                                read(store, "users", "usr_" + BOB).id(), List.of()))));
        assertThat(migration.verify(report)).isEqualTo(new Verification(2, 0, 0, 2));
        assertThat(report.differences)
                .containsExactly(
                        "users/usr_" + ANN + " false: it is not what was written",
                        "users/usr_" + BOB + " false: it is missing");
    }

    @Test
    void plan_reportsWhatARunDoes_andWritesNothing() {
        write(store, "tags", reputationKey(), "\"mine\"");
        String[] lines = manyLines();
        Report planned = new Report();
        MemoryStore empty = new MemoryStore();
        MigrationState plan = migration.plan(lines(lines), merging("sum:points"), new MemoryStore(), planned);
        assertThat(migration.status()).isEmpty();
        assertThat(contents(store)).hasSize(2);
        MigrationState state = migration.run(lines(lines), merging("sum:points"), report);
        assertThat(plan.total()).isEqualTo(state.total());
        assertThat(plan.types()).isEqualTo(new TreeMap<>(state.types()));
        assertThat(planned.leftOut).isEqualTo(report.leftOut).isNotEmpty();
        assertThat(contents(empty)).isEmpty();
        assertThat(migration
                        .plan(lines(lines), merging("sum:points"), new MemoryStore(), planned)
                        .total())
                .isEqualTo(state.total());
    }

    @Test
    void collectionOfAllUsers_isMigrated_alsoWithinOneStore_andContinuedAfterAKill() {
        for (String user : List.of("ann", "bob", "Zoë")) {
            DocumentCollection own = DocumentCollection.of("own/votes", KeyTemplate.of("{id:text}"))
                    .ownedBy(user);
            new Transactions(store, Time.system()).run(tx -> {
                for (int i = 0; i < 5; i++) {
                    own.create(tx, "USR_" + i, Json.of("1"));
                    own.create(
                            tx,
                            "n" + i,
                            Json.of("{\"owner\":\"" + user + "\",\"tag\":\"t" + i + "\",\"target\":\"x\"}"));
                }
                return true;
            });
        }
        for (int commits = 1; commits < 6; commits++) {
            try {
                new Migration(new KillingStore(store, commits, commits % 2 == 0), Time.system(), 4)
                        .run(votes(), MigrationOptions.DEFAULTS, MigrationListener.NONE);
            } catch (KillingStore.Killed e) {
                // it is continued
            }
        }
        MigrationState state = migration.run(votes(), MigrationOptions.DEFAULTS, report);
        assertThat(state.total()).isEqualTo(new Counts(15, 0, 15));
        assertThat(state.line()).isEqualTo(30);
        assertThat(contents(store)).hasSize(30);
        assertThat(migration.verify(report).failures()).isZero();
        assertThat(report.leftOut).hasSize(15);
        assertThat(new StoreSource(store, store.admin(), "store", "none", "votes").hasDocuments())
                .isFalse();
    }

    private StoreSource votes() {
        return new StoreSource(store, store.admin(), "store", "votes", "votes");
    }
}
