package dev.semel.server.settings;

import dev.semel.server.auth.AuthSource;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** All settings. The flag, the variable and the name in a file follow from the constant's. */
public enum Setting {
    PORT(Tier.ESSENTIAL, "N", "8080", "Port to listen on; 0 for any free port."),
    HOST(
            Tier.ESSENTIAL,
            "NAME",
            "localhost",
            "Address to listen on. Without --auth it must be a loopback address; 0.0.0.0 means all addresses."),
    STORE(
            Tier.ESSENTIAL,
            "URL",
            "rocksdb:./data",
            "Store: rocksdb:FOLDER, " + PostgresUrl.FORM + ", or memory: for data that may be lost."),
    AUTH(
            Tier.ESSENTIAL,
            "SOURCE",
            null,
            "Secret or keys that verify tokens: " + AuthSource.FORMS
                    + ". Without it the server is in dev mode, and issues any token to any user of this machine."),

    AUTH_AUDIENCE(Tier.FREQUENT, "TEXT", null, "Required audience (aud) of tokens."),
    AUTH_ISSUER(Tier.FREQUENT, "TEXT", null, "Required issuer (iss) of tokens."),
    TLS_CERT(
            Tier.FREQUENT,
            "FILE",
            null,
            "Certificate chain of the server, as PEM; with --tls-key it enables TLS. Changed files are reloaded."),
    TLS_KEY(Tier.FREQUENT, "FILE", null, "Private key of the certificate, as PEM (PKCS #8, without a password)."),
    RETENTION(Tier.FREQUENT, "TIME", "24h", "How long the response of a completed request is kept for retries."),
    FAILED_RETENTION(Tier.FREQUENT, "TIME", "7d", "How long the record of a failed request is kept."),
    TOMBSTONES(
            Tier.FREQUENT,
            "TIME",
            "30d",
            "How long a tombstone (key, outcome and times, without the response) is kept after a record has expired; or none."),
    EXPIRED_KEYS(
            Tier.FREQUENT,
            "POLICY",
            "new",
            "What happens to a request with an expired key that has a tombstone: new runs it again, reject returns 410 key_expired."),
    SWEEP_EVERY(Tier.FREQUENT, "TIME", "6h", "Interval between cleanup sweeps."),
    FEED_RETENTION(
            Tier.FREQUENT,
            "TIME",
            null,
            "How long posts of the feed are kept, with their likes and comments; for ever by default."),
    QUOTA(Tier.FREQUENT, "N", "1000", "Number of new keys that a user may start in an hour; 0 for no limit."),
    LOG_LEVEL(Tier.FREQUENT, "LEVEL", "info", "Lowest level that is logged: error, warn, info, debug or trace."),

    LEASE(
            Tier.RARE,
            "TIME",
            "30s",
            "How long the owner of a leased request may miss heartbeats before the request counts as abandoned."),
    LONGEST_RUN(Tier.RARE, "TIME", "1h", "Time after which a request that has not completed is given up."),
    RETRY_HINT(Tier.RARE, "TIME", "1s", "Retry-After of the response to a request that is in progress."),
    RESPONSE_LIMIT(Tier.RARE, "SIZE", "1MiB", "Largest response that is kept for retries."),
    STORE_MEMORY(Tier.RARE, "SIZE", "256MiB", "Memory of the store; outside the Java heap, unless it is memory:."),
    STORE_CONNECTIONS(Tier.RARE, "N", "10", "Size of the PostgreSQL connection pool."),
    STORE_SCHEMA(Tier.RARE, "NAME", "semel", "PostgreSQL schema of the tables; it is created if it is missing."),
    STORE_MIGRATE(
            Tier.RARE,
            "BOOLEAN",
            "true",
            "Whether the PostgreSQL tables are created and migrated at the start; false if that is done separately."),
    CONNECTIONS(Tier.RARE, "N", "20000", "Maximum number of connections; further ones wait."),
    REQUEST_TIMEOUT(
            Tier.RARE,
            "TIME",
            "20s",
            "How long a client may take to send the head of a request, or to read the response."),
    MESSAGE_RATE(
            Tier.RARE,
            "N",
            "100",
            "Messages a second that a WebSocket may send, and twice as many in a burst; 0 for no limit."),
    SHORT_ID_LETTERS(
            Tier.RARE,
            "N",
            "3",
            "Maximum number of letters in the ids of submitted texts, 3 to 6; ten ids of each length from two on are tried."),
    STOP_TIMEOUT(Tier.RARE, "TIME", "20s", "How long requests in progress may take to complete when the server stops.");

    /** How many deployments need it. */
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

        /** Title and summary. */
        public String heading() {
            return title + ": " + summary;
        }

        String title() {
            return title;
        }

        String sentence() {
            return Character.toUpperCase(summary.charAt(0)) + summary.substring(1) + ".";
        }
    }

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

    /** Placeholder for its value. */
    public String label() {
        return label;
    }

    /** Its default; null if it has none. */
    public @Nullable String fallback() {
        return fallback;
    }

    public String description() {
        return description;
    }

    /** Its name in a file. */
    public String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Its name on the command line. */
    public String flag() {
        return "--" + key();
    }

    /** Its name in the environment. */
    public String variable() {
        return "SEMEL_" + name();
    }
}
