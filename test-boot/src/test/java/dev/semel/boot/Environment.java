package dev.semel.boot;

import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A shop in this process with its database. All tests share it, and each uses different orders. The shop logs in as the owner of its
 * database, who may not create roles. The database already has tables with names that Semel uses, too.
 */
final class Environment {

    static final String TABLES = "create table documents (id int, title text); insert into documents values (1, 'Terms');"
            + " create table idempotency_records (id int); create table idempotency_keys (id int);"
            + " create table charges (id bigint generated always as identity, order_id text not null)";

    private static final Environment INSTANCE = new Environment();

    private final EmbeddedPostgres server;
    private final String refusal;
    private final ConfigurableApplicationContext shop;

    private Environment() {
        try {
            server = EmbeddedPostgres.builder()
                    .setServerConfig("fsync", "on")
                    .setServerConfig("synchronous_commit", "on")
                    .setServerConfig("full_page_writes", "on")
                    .setPGStartupWait(Duration.ofMinutes(2))
                    .start();
            execute("postgres", "create role shop login");
            execute("postgres", "create database shop owner shop");
            execute("shop", TABLES);
            refusal = refusal();
            execute("postgres", "create role semel_app nologin; create role semel_service nologin");
            execute("postgres", "grant semel_app, semel_service to shop");
            shop = start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Starts the shop while the roles of Semel do not exist, and returns the message of the error. */
    private String refusal() {
        try (ConfigurableApplicationContext started = start()) {
            return "started: " + started;
        } catch (RuntimeException e) {
            Throwable cause = e;
            while (cause.getCause() != null && !cause.getClass().getName().startsWith("dev.semel")) {
                cause = cause.getCause();
            }
            return String.valueOf(cause.getMessage());
        }
    }

    private ConfigurableApplicationContext start() {
        return SpringApplication.run(Shop.class, "--spring.datasource.url=" + url());
    }

    private void execute(String database, String sql) throws SQLException {
        try (Connection connection = server.getDatabase(database.equals("shop") ? "shop" : "postgres", database)
                        .getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Returns the JDBC URL of the database, without a login. */
    static String databaseUrl() {
        return INSTANCE.url();
    }

    private String url() {
        return "jdbc:postgresql://localhost:" + server.getPort() + "/shop";
    }

    /** Returns the message with which the shop failed to start before the roles existed. */
    static String refusalWithoutRoles() {
        return INSTANCE.refusal;
    }

    /** Returns how many connections of the shop's pool are in use. */
    static int connectionsInUse() {
        return INSTANCE.shop.getBean(HikariDataSource.class).getHikariPoolMXBean().getActiveConnections();
    }

    static Charges charges() {
        return INSTANCE.shop.getBean(Charges.class);
    }

    static Payments payments() {
        return INSTANCE.shop.getBean(Payments.class);
    }

    /** Returns a customer of the shop. */
    static Customer customer(String name) {
        return new Customer(Shop.port(INSTANCE.shop), name);
    }

    static Customer ann() {
        return customer("ann");
    }

    static String newOrder() {
        return "order-" + UUID.randomUUID();
    }

    /** Returns the first column of the first row of a query; null if there is none. */
    static @Nullable String query(String sql) throws SQLException {
        try (Connection connection = INSTANCE.server.getDatabase("postgres", "shop").getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getString(1) : null;
        }
    }
}
