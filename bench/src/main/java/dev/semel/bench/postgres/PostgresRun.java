package dev.semel.bench.postgres;

import static dev.semel.bench.postgres.PostgresFigures.AUTOCOMMIT;
import static dev.semel.bench.postgres.PostgresFigures.DBOS;
import static dev.semel.bench.postgres.PostgresFigures.EFFECT_FIRST;
import static dev.semel.bench.postgres.PostgresFigures.LARGE;
import static dev.semel.bench.postgres.PostgresFigures.OWN;
import static dev.semel.bench.postgres.PostgresFigures.SELECT;
import static dev.semel.bench.postgres.PostgresFigures.SEMEL;
import static dev.semel.bench.postgres.PostgresFigures.SEMEL_PLATFORM;
import static dev.semel.bench.postgres.PostgresFigures.SMALL;
import static dev.semel.bench.postgres.PostgresFigures.TRANSACTION;

import dev.semel.bench.Contest;
import dev.semel.bench.Contest.Effort;
import dev.semel.bench.Contest.Scores;
import dev.semel.bench.Payments;
import dev.semel.bench.PostgresServer;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/** Measures everything, on one server. */
final class PostgresRun {

    static final List<Integer> CALLERS = List.of(1, 8, 32);
    static final int MOST_CALLERS = 32;

    private static final int KNOWN = 256;
    private static final int WARM_UP_ROUNDS = 9;
    private static final PrintStream PROGRESS = System.err;

    private final PostgresServer server;
    private final Effort effort;
    private final long keys;
    private final long smallKeys;
    private final PostgresFigures figures = new PostgresFigures();

    /**
     * @param keys how many the largest database is filled with
     * @param smallKeys how many the small one is, to which others are compared
     */
    PostgresRun(PostgresServer server, Effort effort, long keys, long smallKeys) {
        this.server = server;
        this.effort = effort;
        this.keys = keys;
        this.smallKeys = Math.min(keys, smallKeys);
    }

    PostgresFigures run() throws IOException, SQLException {
        figures.version = server.ask("postgres", "show server_version").get(0);
        try (DbosPeer dbos = DbosPeer.open(server.newDatabase("dbos"), MOST_CALLERS)) {
            warmUp(dbos);
            for (int callers : CALLERS) {
                figures.fresh.put(callers, fresh(callers, dbos, effort));
            }
            for (int callers : CALLERS) {
                figures.replays.put(callers, replays(callers, dbos, effort));
            }
        }
        grow();
        PROGRESS.println();
        return figures;
    }

    private static void say(String what) {
        PROGRESS.printf("\r%-78s", what);
    }

    /** One caller alone makes too few calls in a slice for the JVM to compile them well; and it takes its time for many, too. */
    private void warmUp(DbosPeer dbos) throws SQLException {
        Effort longer = new Effort(WARM_UP_ROUNDS, effort.slice());
        fresh(MOST_CALLERS, dbos, longer);
        replays(MOST_CALLERS, dbos, longer);
    }

    private Scores fresh(int callers, DbosPeer dbos, Effort effort) throws SQLException {
        say("new keys, callers: " + callers);
        String name = "fresh_" + callers;
        server.newDatabase(name);
        try (PaymentDatabase database = PaymentDatabase.open(server, name, callers)) {
            Contest contest = new Contest(callers, effort)
                    .withVirtualThreads(SEMEL, database.payments()::pay)
                    .with(SEMEL_PLATFORM, database.payments()::pay)
                    .with(TRANSACTION, database::insertAndCommit)
                    .with(AUTOCOMMIT, database::insertAlone)
                    .with(OWN, database::insertOnce)
                    .with(EFFECT_FIRST, database::insertOnceEffectFirst);
            return (callers == MOST_CALLERS ? contest.with(DBOS, dbos::pay) : contest).run();
        } finally {
            drop(name);
        }
    }

    private Scores replays(int callers, DbosPeer dbos, Effort effort) throws SQLException {
        say("known keys, callers: " + callers);
        String name = "replays_" + callers;
        server.newDatabase(name);
        try (PaymentDatabase database = PaymentDatabase.open(server, name, callers)) {
            List<PaymentDatabase.Known> known = database.payKnown(KNOWN);
            List<String> workflows = new ArrayList<>();
            for (int i = 0; callers == MOST_CALLERS && i < KNOWN; i++) {
                workflows.add(dbos.pay());
            }
            server.execute(name, "vacuum (analyze) idempotency_keys");
            Contest contest = new Contest(callers, effort)
                    .withVirtualThreads(
                            SEMEL, () -> database.payments().repeat(oneOf(known).call()))
                    .with(
                            SEMEL_PLATFORM,
                            () -> database.payments().repeat(oneOf(known).call()))
                    .with(SELECT, () -> database.select(oneOf(known).row()));
            return (workflows.isEmpty() ? contest : contest.with(DBOS, () -> dbos.pay(oneOf(workflows)))).run();
        } finally {
            drop(name);
        }
    }

    private static <T> T oneOf(List<T> list) {
        return list.get(ThreadLocalRandom.current().nextInt(list.size()));
    }

    private void drop(String database) throws SQLException {
        server.execute("postgres", "drop database " + database + " with (force)");
    }

    /** Fills one database more and more, and measures it on the way next to a small one that is new each time. */
    private void grow() throws IOException, SQLException {
        Filling large = Filling.begin(server, LARGE);
        Filling.begin(server, SMALL).fill(0, smallKeys, done -> {});
        long filled = 0;
        for (long size = smallKeys; filled < keys; size = Math.min(keys, size * 10)) {
            long wanted = size;
            large.fill(filled, size, done -> say(String.format(Locale.ROOT, "filling: %,d of %,d keys", done, wanted)));
            filled = size;
            figures.sizes.add(measure(size, large.bytes()));
        }
        say("plans");
        figures.plans = Plans.of(server, LARGE, keys);
        drop(LARGE);
        drop(SMALL);
    }

    private PostgresFigures.Size measure(long size, long bytes) throws SQLException {
        say(String.format(Locale.ROOT, "%,d stored keys", size));
        String copy = "small_copy";
        server.execute("postgres", "create database " + copy + " template " + SMALL);
        try (PaymentDatabase large = PaymentDatabase.open(server, LARGE, 1);
                PaymentDatabase small = PaymentDatabase.open(server, copy, 1)) {
            Scores queries = new Contest(1, effort)
                    .with(SMALL, () -> list(small, smallKeys))
                    .with(LARGE, () -> list(large, size))
                    .run();
            Scores replays = new Contest(MOST_CALLERS, effort)
                    .withVirtualThreads(SMALL, () -> repeat(small, smallKeys))
                    .withVirtualThreads(LARGE, () -> repeat(large, size))
                    .run();
            Scores fresh = new Contest(MOST_CALLERS, effort)
                    .withVirtualThreads(SMALL, small.payments()::pay)
                    .withVirtualThreads(LARGE, large.payments()::pay)
                    .run();
            return new PostgresFigures.Size(size, bytes, fresh, replays, queries);
        } finally {
            drop(copy);
        }
    }

    private static void list(PaymentDatabase database, long filled) {
        long number = ThreadLocalRandom.current().nextLong(filled);
        long first = number - number % Payments.OF_A_CUSTOMER;
        database.payments().list(Filling.customer(number), Math.min(filled - first, Payments.OF_A_CUSTOMER));
    }

    private static void repeat(PaymentDatabase database, long filled) {
        database.payments().repeat(Filling.call(ThreadLocalRandom.current().nextLong(filled)));
    }
}
