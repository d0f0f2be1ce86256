package dev.semel.bench.once;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.id.IdSchemes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Realistic payment requests: unsorted members, spaces after colons and commas, decimal amounts, ids, times, and names beyond ASCII.
 * There are too many for a branch predictor to learn.
 */
@State(Scope.Thread)
public class Payloads {

    private static final int COUNT = 256;
    private static final String[] NAMES = {
        "Ada Lovelace", "Jos\u00e9 Garc\u00eda", "Zo\u00eb M\u00fcller", "Grace Hopper"
    };
    private static final String[] ITEMS = {"espresso beans, 1 kg", "filter \\\"No. 4\\\"", "cup, blue", "Gie\u00dfkanne"
    };

    /** Approximate size of a payload in bytes. */
    @Param({"100", "1024", "16384"})
    int size;

    private final Random random = new Random(1);
    private final byte[][] payloads = new byte[COUNT][];
    private int next;

    /** Returns payloads that JMH does not manage. */
    static Payloads ofSize(int size) {
        Payloads payloads = new Payloads();
        payloads.size = size;
        payloads.fill();
        return payloads;
    }

    @Setup
    public void fill() {
        for (int i = 0; i < COUNT; i++) {
            payloads[i] = (size < 500 ? small() : withItems()).getBytes(UTF_8);
        }
    }

    byte[] payload() {
        return payloads[next++ & (COUNT - 1)];
    }

    private String small() {
        return String.format(
                Locale.ROOT,
                "{\"payment\": \"%s\", \"amount\": %s, \"currency\": \"EUR\", \"capture\": true, \"attempt\": %d}",
                IdSchemes.TID62.mint(),
                amount(),
                random.nextInt(5));
    }

    private String withItems() {
        List<String> items = new ArrayList<>();
        String text = order(items);
        while (text.length() < size) {
            items.add(item());
            text = order(items);
        }
        return text;
    }

    private String order(List<String> items) {
        return String.format(
                Locale.ROOT,
                "{\"payment\": \"%s\", \"merchant\": \"%s\", \"created\": \"2026-03-0%dT12:34:56.789Z\", "
                        + "\"amount\": {\"value\": %s, \"currency\": \"EUR\", \"taxRate\": 0.19}, "
                        + "\"customer\": {\"id\": \"%s\", \"name\": \"%s\", \"email\": \"customer%d@example.org\", "
                        + "\"address\": {\"street\": \"Hauptstra\u00dfe %d\", \"city\": \"K\u00f6ln\", \"zip\": \"50667\", "
                        + "\"country\": \"DE\", \"location\": [50.9375, 6.9603]}}, "
                        + "\"capture\": true, \"reference\": null, \"items\": [%s]}",
                IdSchemes.TID62.mint(),
                IdSchemes.UUID7.mint(),
                1 + random.nextInt(9),
                amount(),
                IdSchemes.UUID4.mint(),
                NAMES[random.nextInt(NAMES.length)],
                random.nextInt(100_000),
                1 + random.nextInt(200),
                String.join(", ", items));
    }

    private String item() {
        return String.format(
                Locale.ROOT,
                "{\"sku\": \"%s\", \"title\": \"%s\", \"quantity\": %d, \"price\": %s, \"gift\": %b}",
                IdSchemes.TID62.mint(),
                ITEMS[random.nextInt(ITEMS.length)],
                1 + random.nextInt(12),
                amount(),
                random.nextBoolean());
    }

    private String amount() {
        return String.format(Locale.ROOT, "%d.%02d", random.nextInt(1_000), random.nextInt(100));
    }
}
