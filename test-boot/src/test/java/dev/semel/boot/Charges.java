package dev.semel.boot;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/** The effect of every handler: a row for each charge, committed at once. */
@Component
class Charges {

    private static final long MOST_SECONDS = 60;

    private final JdbcTemplate jdbc;
    private final boolean isStuck;
    private final Map<String, CountDownLatch> held = new ConcurrentHashMap<>();

    Charges(JdbcTemplate jdbc, @Value("${shop.stuck}") boolean isStuck) {
        this.jdbc = jdbc;
        this.isStuck = isStuck;
    }

    /** Makes the next charges of an order wait, after they have taken effect, until the order is released. */
    void hold(String order) {
        held.put(order, new CountDownLatch(1));
    }

    void release(String order) {
        Objects.requireNonNull(held.remove(order)).countDown();
    }

    /** Charges an order, and returns the response of its handler. */
    String charge(String order) {
        int charges = insert(order);
        CountDownLatch latch = isStuck ? new CountDownLatch(1) : held.get(order);
        if (latch != null) {
            await(latch);
        }
        return "charge " + charges + " of " + order;
    }

    private int insert(String order) {
        jdbc.update("insert into charges (order_id) values (?)", order);
        return count(order);
    }

    int count(String order) {
        Integer count = jdbc.queryForObject("select count(*) from charges where order_id = ?", Integer.class, order);
        return count == null ? 0 : count;
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(MOST_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("The order was not released");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("The charge was interrupted", e);
        }
    }
}
