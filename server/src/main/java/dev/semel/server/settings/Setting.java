package dev.semel.server.settings;

import dev.semel.server.auth.AuthSource;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** All settings of the server. The name of the constant determines the option, the variable and the name in a settings file. */
public enum Setting {
    PORT(Tier.ESSENTIAL, "N", "8080", "Port to listen on. `0` selects a free port."),
    HOST(
            Tier.ESSENTIAL,
            "NAME",
            "localhost",
            "Address to listen on. `0.0.0.0` listens on all addresses. Without `--auth`, it must be a loopback address."),
    STORE(
            Tier.ESSENTIAL,
            "URL",
            "rocksdb:./data",
            "Where data is stored: `rocksdb:FOLDER`, `" + PostgresUrl.FORM
                    + "`, or `memory:` for data that is lost when the server stops. Pass a password in `SEMEL_STORE`, since other"
                    + " users can read options."),
    AUTH(
            Tier.ESSENTIAL,
            "SOURCE",
            null,
            "How tokens are verified, by a shared secret or by public keys: `"
                    + AuthSource.FORMS.replaceAll(", | or ", "`$0`")
                    + "`. Without it, the server runs in dev mode: anyone on this machine can sign in as any user."),

    AUTH_AUDIENCE(Tier.FREQUENT, "TEXT", null, "Required audience (`aud`) of tokens."),
    AUTH_ISSUER(Tier.FREQUENT, "TEXT", null, "Required issuer (`iss`) of tokens."),
    TLS_CERT(
            Tier.FREQUENT,
            "FILE",
            null,
            "Certificate chain of the server (PEM). With `--tls-key`, it enables TLS. A changed file is reloaded."),
    TLS_KEY(Tier.FREQUENT, "FILE", null, "Private key of the certificate (PEM, PKCS #8, without a password)."),
    RETENTION(
            Tier.FREQUENT,
            "TIME",
            "24h",
            "How long responses are kept for retries. The time counts from the completion of the request."),
    FAILED_RETENTION(Tier.FREQUENT, "TIME", "7d", "How long failed requests are kept."),
    TOMBSTONES(
            Tier.FREQUENT,
            "TIME",
            "30d",
            "How long an expired key is remembered (tombstone). A tombstone holds the key, its outcome and its times, but no response."
                    + " `none` keeps no tombstones."),
    EXPIRED_KEYS(
            Tier.FREQUENT,
            "POLICY",
            "new",
            "Handling of expired keys: `new` executes the request, `reject` returns 410. A key is rejected with `key_expired` while it"
                    + " has a tombstone."),
    SWEEP_EVERY(Tier.FREQUENT, "TIME", "6h", "Interval between cleanup sweeps."),
    FEED_RETENTION(
            Tier.FREQUENT,
            "TIME",
            null,
            "How long feed posts are kept; without it, forever. Their likes and comments are deleted with them."),
    QUOTA(Tier.FREQUENT, "N", "1000", "Maximum number of new keys per user per hour. `0` removes the limit."),
    CORS_ORIGINS(
            Tier.FREQUENT,
            "ORIGINS",
            null,
            "Origins whose pages may call the API from a browser (CORS), such as `https://app.example.com`, separated by commas. Without"
                    + " it, only pages of the server itself may."),
    LOG_LEVEL(Tier.FREQUENT, "LEVEL", "info", "Minimum level to log: `error`, `warn`, `info`, `debug` or `trace`."),

    LEASE(
            Tier.RARE,
            "TIME",
            "30s",
            "How long a leased request may run without a heartbeat before it counts as abandoned."),
    LONGEST_RUN(
            Tier.RARE,
            "TIME",
            "1h",
            "How long a leased request may run. After that, its lease is not renewed, and a retry may take over."),
    RETRY_HINT(
            Tier.RARE,
            "TIME",
            "1s",
            "Value of `Retry-After` in the response to a retry while the request is in progress."),
    RESPONSE_LIMIT(Tier.RARE, "SIZE", "1MiB", "Maximum size of a response that is kept for retries."),
    STORE_MEMORY(
            Tier.RARE,
            "SIZE",
            "256MiB",
            "Memory of the store. It is allocated outside the Java heap, except for `memory:`."),
    STORE_CONNECTIONS(Tier.RARE, "N", "10", "Size of the PostgreSQL connection pool."),
    STORE_SCHEMA(Tier.RARE, "NAME", "semel", "PostgreSQL schema of the tables. It is created if it is missing."),
    STORE_MIGRATE(
            Tier.RARE,
            "BOOLEAN",
            "true",
            "Whether the server creates and migrates the PostgreSQL tables when it starts."),
    CONNECTIONS(Tier.RARE, "N", "20000", "Maximum number of client connections. Further connections wait."),
    REQUEST_TIMEOUT(
            Tier.RARE,
            "TIME",
            "20s",
            "How long a client may take to send the head of a request, or to read the response."),
    MESSAGE_RATE(
            Tier.RARE,
            "N",
            "100",
            "Maximum number of messages per second on a WebSocket. A burst may have twice as many. `0` removes the limit."),
    SHORT_ID_LETTERS(
            Tier.RARE,
            "N",
            "3",
            "Maximum number of letters in a short id, from 3 to 6. The server tries ten ids of each length, from two letters on."),
    SHORT_IDS(
            Tier.RARE,
            "MODE",
            "atomic",
            "How short ids are allocated: `atomic` creates a post in one commit; `kv` uses only reads, writes and deletes, as on a key-value"
                    + " store without an atomic create, and takes at least `--kv-settle`."),
    KV_SETTLE(
            Tier.RARE,
            "TIME",
            "2s",
            "With `--short-ids kv`: how long a request waits before it verifies its claim of an id. It must be more than `--kv-gap` plus"
                    + " twice `--kv-staleness`."),
    KV_GAP(
            Tier.RARE,
            "TIME",
            "500ms",
            "With `--short-ids kv`: the longest time from the read of a claim to the end of its write. A request that takes longer abandons"
                    + " the id."),
    KV_STALENESS(
            Tier.RARE,
            "TIME",
            "0s",
            "With `--short-ids kv`: how old a value may be that the store returns. The stores of the server return current values."),
    KV_ACCEPT_OVERWRITES(
            Tier.RARE,
            "BOOLEAN",
            "false",
            "With `--short-ids kv`: whether the server starts with times that do not exclude that posts are overwritten."),
    LEGACY_KEYS(
            Tier.RARE,
            "POLICY",
            "refuse",
            "Handling of a legacy key in a request for a document: `read` uses the document that it was migrated to, `refuse` returns"
                    + " 400."),
    STOP_TIMEOUT(Tier.RARE, "TIME", "20s", "How long requests in progress may take to complete when the server stops.");

    /** How often deployments change a setting. */
    public enum Tier {
        ESSENTIAL("Essential", "most deployments set these"),
        FREQUENT("Frequent", "many deployments change these"),
        RARE("Rare", "the defaults suit nearly every deployment");

        private final String title;
        private final String summary;

        Tier(String title, String summary) {
            this.title = title;
            this.summary = summary;
        }

        /** Returns title and summary. */
        public String heading() {
            return title + " (" + summary + ")";
        }

        String title() {
            return title;
        }

        String sentence() {
            return Character.toUpperCase(summary.charAt(0)) + summary.substring(1) + ".";
        }
    }

    private static final Pattern NEXT_SENTENCE = Pattern.compile("(?<=\\.) (?=[A-Z`]).*");

    private final Tier tier;
    private final String label;
    private final @Nullable String fallback;
    private final String description;

    Setting(Tier tier, String label, @Nullable String fallback, String description) {
        this.tier = tier;
        this.label = label;
        this.fallback = fallback;
        this.description = description;
    }

    public Tier tier() {
        return tier;
    }

    /** Returns the placeholder for the value, such as TIME. */
    public String label() {
        return label;
    }

    /** Returns the default; null if there is none. */
    public @Nullable String fallback() {
        return fallback;
    }

    /** Returns the accepted values; empty if they are not a fixed set. */
    public List<String> choices() {
        return switch (this) {
            case EXPIRED_KEYS -> List.of("new", "reject");
            case LEGACY_KEYS -> List.of("read", "refuse");
            case LOG_LEVEL -> List.of("error", "warn", "info", "debug", "trace");
            case SHORT_IDS -> List.of("atomic", "kv");
            case STORE_MIGRATE, KV_ACCEPT_OVERWRITES -> List.of("true", "false");
            default -> List.of();
        };
    }

    /** Whether the option without a value means {@code true}. */
    public boolean isSwitch() {
        return this == KV_ACCEPT_OVERWRITES;
    }

    /** Returns the description in Markdown. */
    String description() {
        return description;
    }

    /** Returns the description and the default as plain text. */
    public String plainText() {
        return plain(description);
    }

    /** Returns the first sentence of the description and the default as plain text. */
    public String plainSummary() {
        return plain(firstSentence(description));
    }

    /** Returns the text up to the first period that ends a sentence. */
    public static String firstSentence(String text) {
        return NEXT_SENTENCE.matcher(text).replaceFirst("");
    }

    private String plain(String text) {
        return text.replace("`", "") + (fallback == null ? "" : " Default: " + fallback + ".");
    }

    /** Returns the name in a settings file. */
    public String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the name on the command line. */
    public String flag() {
        return "--" + key();
    }

    /** Returns the name in the environment. */
    public String variable() {
        return "SEMEL_" + name();
    }
}
