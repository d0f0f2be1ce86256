package dev.semel.server.migration;

import static dev.semel.server.migration.MigrationFixture.reputation;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.id.IdSchemes;
import dev.semel.postgres.Postgres;
import dev.semel.server.ServerFixture;
import dev.semel.server.Storage;
import dev.semel.server.migration.Migration.Rollback;
import dev.semel.server.migration.Migration.Verification;
import dev.semel.server.migration.MigrationFixture.Report;
import dev.semel.server.settings.RawSettings;
import dev.semel.server.settings.ServerSettings;
import dev.semel.server.settings.Setting;
import dev.semel.store.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A migration into a database whose servers go on writing. */
class LiveMigrationTest {

    private static final int DOCUMENTS = 600;
    private static final int BATCH = 25;

    @Test
    void documentThatAUserWritesMeanwhile_wins_andIsListed() throws Exception {
        String url = Postgres.url(Postgres.NEWEST.database());
        List<String> lines = new ArrayList<>();
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < DOCUMENTS; i++) {
            String user = IdSchemes.UUID4S.mint();
            String tag = IdSchemes.UUID4S.mint();
            lines.add(reputation("USR=" + user + "_TAG=" + tag, "", "{\"from\":\"migration\"}"));
            keys.add("usr_" + user + "_tag_" + tag);
        }
        try (ServerFixture server = ServerFixture.onPostgres(url, Map.of());
                Storage storage = Storage.open(
                        ServerSettings.store(new RawSettings(Map.of(Setting.STORE, url), null, Map.of())),
                        Time.system())) {
            Set<String> written = new ConcurrentSkipListSet<>();
            AtomicBoolean ended = new AtomicBoolean();
            CountDownLatch writing = new CountDownLatch(1);
            Thread user = new Thread(() -> {
                for (int i = DOCUMENTS - 1; i >= 0 && !ended.get(); i -= 3) {
                    int status = server.as("ann")
                            .put("/v1/documents/reputations/" + keys.get(i), "{\"data\":{\"from\":\"user\"}}")
                            .status();
                    assertThat(status).isIn(200, 201);
                    written.add(keys.get(i));
                    writing.countDown();
                }
            });
            user.start();
            writing.await();
            Report report = new Report();
            Migration migration = new Migration(storage.store(), Time.system(), BATCH);
            MigrationState state = migration.run(
                    MigrationFixture.lines(lines.toArray(String[]::new)), MigrationOptions.DEFAULTS, report);
            ended.set(true);
            user.join();

            assertThat(state.total().skipped()).isEqualTo(report.leftOut.size()).isPositive();
            assertThat(report.leftOut).allMatch(line -> line.contains("the target already has a document"));
            for (String key : keys) {
                String data = MigrationFixture.read(storage.store(), "reputations", key)
                        .data()
                        .text();
                assertThat(data).isEqualTo("{\"from\":\"" + (written.contains(key) ? "user" : "migration") + "\"}");
            }
            Verification verification = migration.verify(new Report());
            assertThat(verification.failures()).isZero();
            assertThat(verification.changed()).isEqualTo(written.size() - report.leftOut.size());
            MigrationFixture.write(storage.store(), "reputations", keys.get(0), "1");
            Rollback refused = migration.rollback(0, report);
            assertThat(refused.changed()).isPositive();
            assertThat(report.differences)
                    .contains("reputations/" + keys.get(0) + " true: it was changed since, and has version 2");
        }
    }
}
