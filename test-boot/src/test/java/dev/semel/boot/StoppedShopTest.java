package dev.semel.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Eventually;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;

/** A shop stops while its handlers run, after they have charged. Customers retry at another shop on the same database. */
class StoppedShopTest {

    private static final String[] SETTINGS = {
        "--spring.datasource.url=" + Environment.databaseUrl(),
        "--shop.stuck=true",
        "--shop.lease=1s",
        "--server.shutdown=immediate"
    };

    private final Charges charges = Environment.charges();
    private final List<Purchase> purchases = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    private record Purchase(Kind kind, String policy, String order) {

        HttpResponse<String> at(Customer customer) {
            return customer.order(kind.path(policy), order, order);
        }
    }

    StoppedShopTest() {
        for (Kind kind : Kind.values()) {
            purchases.add(new Purchase(kind, "freeze", Environment.newOrder()));
            purchases.add(new Purchase(kind, "rerun", Environment.newOrder()));
        }
    }

    @AfterEach
    void stopThreads() {
        threads.shutdownNow();
    }

    @Test
    void killedHandlers_neverChargeAgainUnderFreeze_andAreNeverLostUnderRerun() throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Dshop.log=stuck-shop.log",
                "-cp",
                System.getProperty("java.class.path"),
                Shop.class.getName()));
        command.addAll(List.of(SETTINGS));
        Process shop = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            purchaseAt(port(shop));
        } finally {
            shop.destroyForcibly();
            shop.waitFor();
        }
        assertRetriesAreSafe();
    }

    /** The threads of the handlers are interrupted. */
    @Test
    void interruptedHandlers_neverChargeAgainUnderFreeze_andAreNeverLostUnderRerun() {
        try (var shop = SpringApplication.run(Shop.class, SETTINGS)) {
            purchaseAt(Shop.port(shop));
        }
        assertRetriesAreSafe();
    }

    private static int port(Process shop) throws IOException {
        BufferedReader lines = shop.inputReader(StandardCharsets.UTF_8);
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith("port ")) {
                return Integer.parseInt(line.substring("port ".length()));
            }
        }
        throw new AssertionError("The shop has not started");
    }

    /** Sends all purchases, and returns when each has charged. */
    private void purchaseAt(int port) {
        Customer ann = new Customer(port, "ann");
        purchases.forEach(purchase -> threads.execute(() -> purchase.at(ann)));
        for (Purchase purchase : purchases) {
            Eventually.assertHolds(() ->
                    assertThat(charges.count(purchase.order())).as(purchase.toString()).isEqualTo(1));
        }
    }

    private void assertRetriesAreSafe() {
        Customer ann = Environment.ann();
        for (Purchase purchase : purchases) {
            boolean isFrozen = purchase.policy().equals("freeze");
            Eventually.assertHolds(() -> assertThat(purchase.at(ann).body())
                    .as(purchase.toString())
                    .contains(isFrozen ? "\"outcome_unknown\"" : "charge 2 of " + purchase.order()));
            assertThat(charges.count(purchase.order())).as(purchase.toString()).isEqualTo(isFrozen ? 1 : 2);
        }
    }
}
