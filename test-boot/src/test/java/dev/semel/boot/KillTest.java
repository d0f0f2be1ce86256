package dev.semel.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Eventually;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** A shop is killed while its handlers run, and customers retry at another shop on the same database. */
class KillTest {

    private record Purchase(Kind kind, String policy, String order) {

        String path() {
            return kind.path(policy);
        }
    }

    /** A shop in another process, whose charges never return. */
    private static Process startStuckShop() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Dshop.log=stuck-shop.log",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Shop.class.getName(),
                        "--spring.datasource.url=" + Environment.databaseUrl(),
                        "--shop.stuck=true",
                        "--shop.lease=1s")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
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

    @Test
    void killedHandlers_neverChargeAgainUnderFreeze_andAreNeverLostUnderRerun() throws Exception {
        Charges charges = Environment.charges();
        Customer ann = Environment.ann();
        List<Purchase> purchases = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            purchases.add(new Purchase(kind, "freeze", Environment.newOrder()));
            purchases.add(new Purchase(kind, "rerun", Environment.newOrder()));
        }
        ExecutorService threads = Executors.newCachedThreadPool();
        Process shop = startStuckShop();
        try {
            Customer atStuckShop = new Customer(port(shop), "ann");
            purchases.forEach(purchase -> threads.execute(
                    () -> atStuckShop.order(purchase.path(), purchase.order(), purchase.order())));
            for (Purchase purchase : purchases) {
                Eventually.assertHolds(() -> assertThat(charges.count(purchase.order()))
                        .as(purchase.path())
                        .isEqualTo(1));
            }
        } finally {
            shop.toHandle().destroyForcibly();
            shop.waitFor();
            threads.shutdownNow();
        }
        for (Purchase purchase : purchases) {
            boolean isFrozen = purchase.policy().equals("freeze");
            Eventually.assertHolds(() -> {
                var retry = ann.order(purchase.path(), purchase.order(), purchase.order());
                assertThat(retry.body())
                        .as(purchase.path())
                        .contains(isFrozen ? "\"outcome_unknown\"" : "charge 2 of " + purchase.order());
            });
            assertThat(charges.count(purchase.order())).as(purchase.path()).isEqualTo(isFrozen ? 1 : 2);
        }
    }
}
