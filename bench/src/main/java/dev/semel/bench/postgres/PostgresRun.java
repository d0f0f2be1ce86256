package dev.semel.bench.postgres;

import static dev.semel.bench.ContestFigures.LARGE;
import static dev.semel.bench.ContestFigures.SEMEL;
import static dev.semel.bench.ContestFigures.SEMEL_PLATFORM;
import static dev.semel.bench.ContestFigures.SMALL;
import static dev.semel.bench.postgres.PostgresFigures.AUTOCOMMIT;
import static dev.semel.bench.postgres.PostgresFigures.CALLER_MANAGED;
import static dev.semel.bench.postgres.PostgresFigures.DBOS;
import static dev.semel.bench.postgres.PostgresFigures.EFFECT_FIRST;
import static dev.semel.bench.postgres.PostgresFigures.SELECT;
import static dev.semel.bench.postgres.PostgresFigures.TRANSACTION;

import dev.semel.bench.Contest;
import dev.semel.bench.Contest.Effort;
import dev.semel.bench.Contest.Scores;
import dev.semel.bench.Payments;
import dev.semel.bench.PostgresServer;
import dev.semel.bench.Progress;
import dev.semel.bench.Scale;
import dev.semel.bench.postgres.PostgresFigures.DatabaseSize;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Runs the benchmark of the PostgreSQL store on one server. */
final class PostgresRun {

    static final List<Integer> CALLERS = List.of(1, 8, 32);
    static final int MOST_CALLERS = 32;

    private static final int KNOWN = 256;
    private static final int WARM_UP_ROUNDS = 9;
    private static final int FOOTPRINT_KEYS = 20_000;

    private final PostgresServer server;
    private final Scale scale;

    PostgresRun(PostgresServer server, Scale scale) {
        this.server = server;
        this.scale = scale;
    }

    PostgresFigures run() throws IOException, SQLException {
        String version =
                server.query(PostgresServer.POSTGRES, "show server_version").get(0);
        Progress.show("size of a key");
        PostgresFigures figures =
                new PostgresFigures(version, Footprint.measure(server, Math.min(scale.keys(), FOOTPRINT_KEYS)));
        Progress.print(figures.footprint.summary());
        try (DbosPeer dbos = DbosPeer.open(server, MOST_CALLERS)) {
            warmUp(dbos);
            for (int callers : CALLERS) {
                figures.fresh.put(callers, fresh(callers, dbos, scale.effort()));
            }
            for (int callers : CALLERS) {
                figures.replays.put(callers, replays(callers, dbos, scale.effort()));
            }
        }
        grow(figures);
        return figures;
    }

    /** A slice has too few calls for the JVM to optimize them. */
    private void warmUp(DbosPeer dbos) throws SQLException {
        Effort longer = new Effort(WARM_UP_ROUNDS, scale.effort().slice());
        fresh(MOST_CALLERS, dbos, longer);
        replays(MOST_CALLERS, dbos, longer);
    }

    private Scores fresh(int callers, DbosPeer dbos, Effort effort) throws SQLException {
        Progress.show("new keys, callers: %d", callers);
        String name = "fresh_" + callers;
        server.newDatabase(name);
        try (PaymentDatabase database = PaymentDatabase.open(server, name, callers)) {
            Contest contest = new Contest(callers, effort)
                    .withVirtualThreads(SEMEL, database.payments()::pay)
                    .with(SEMEL_PLATFORM, database.payments()::pay)
                    .with(TRANSACTION, database::insertAndCommit)
                    .with(AUTOCOMMIT, database::insertAlone)
                    .with(CALLER_MANAGED, database::insertOnce)
                    .with(EFFECT_FIRST, database::insertOnceEffectFirst);
            return (callers == MOST_CALLERS ? contest.with(DBOS, dbos::pay) : contest).run();
        } finally {
            server.dropDatabase(name);
        }
    }

    private Scores replays(int callers, DbosPeer dbos, Effort effort) throws SQLException {
        Progress.show("known keys, callers: %d", callers);
        String name = "replays_" + callers;
        server.newDatabase(name);
        try (PaymentDatabase database = PaymentDatabase.open(server, name, callers)) {
            List<PaymentDatabase.Known> known = database.payKnown(KNOWN);
            List<String> workflows = new ArrayList<>();
            for (int i = 0; callers == MOST_CALLERS && i < KNOWN; i++) {
                workflows.add(dbos.pay());
            }
            server.execute(name, "vacuum (analyze)");
            Contest contest = new Contest(callers, effort)
                    .withVirtualThreads(
                            SEMEL,
                            () -> database.payments().retry(Contest.anyOf(known).call()))
                    .with(
                            SEMEL_PLATFORM,
                            () -> database.payments().retry(Contest.anyOf(known).call()))
                    .with(SELECT, () -> database.select(Contest.anyOf(known).row()));
            return (workflows.isEmpty() ? contest : contest.with(DBOS, () -> dbos.pay(Contest.anyOf(workflows)))).run();
        } finally {
            server.dropDatabase(name);
        }
    }

    /** Fills one database in steps, and measures it at each size next to a new small one. */
    private void grow(PostgresFigures figures) throws IOException, SQLException {
        Filling large = Filling.begin(server, LARGE);
        Filling.begin(server, SMALL).fill(0, scale.smallKeys(), done -> {});
        long filled = 0;
        for (long size : scale.sizes()) {
            large.fill(filled, size, done -> Progress.show("filling: %,d of %,d keys", done, size));
            filled = size;
            figures.sizes.add(measure(size, large.bytes()));
        }
        Progress.show("query plans");
        figures.plans = Plans.of(server, LARGE, scale.keys());
        server.dropDatabase(LARGE);
        server.dropDatabase(SMALL);
    }

    private DatabaseSize measure(long size, long bytes) throws SQLException {
        Progress.show("%,d stored keys", size);
        String copy = "small_copy";
        server.execute(PostgresServer.POSTGRES, "create database " + copy + " template " + SMALL);
        try (PaymentDatabase large = PaymentDatabase.open(server, LARGE, 1);
                PaymentDatabase small = PaymentDatabase.open(server, copy, 1)) {
            Scores queries = new Contest(1, scale.effort())
                    .with(SMALL, () -> list(small, scale.smallKeys()))
                    .with(LARGE, () -> list(large, size))
                    .run();
            Scores replays = new Contest(MOST_CALLERS, scale.effort())
                    .withVirtualThreads(SMALL, () -> retry(small, scale.smallKeys()))
                    .withVirtualThreads(LARGE, () -> retry(large, size))
                    .run();
            Scores fresh = new Contest(MOST_CALLERS, scale.effort())
                    .withVirtualThreads(SMALL, small.payments()::pay)
                    .withVirtualThreads(LARGE, large.payments()::pay)
                    .run();
            return new DatabaseSize(size, bytes, fresh, replays, queries);
        } finally {
            server.dropDatabase(copy);
        }
    }

    private static void list(PaymentDatabase database, long filled) {
        long number = ThreadLocalRandom.current().nextLong(filled);
        long first = number - number % Payments.PER_CUSTOMER;
        database.payments().list(Filling.customer(number), Math.min(filled - first, Payments.PER_CUSTOMER));
    }

    private static void retry(PaymentDatabase database, long filled) {
        database.payments().retry(Filling.call(ThreadLocalRandom.current().nextLong(filled)));
    }
}
