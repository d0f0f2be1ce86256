package dev.semel.server.settings;

import dev.semel.server.auth.AuthSource;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Everything that can be set. The flag, the variable and the name in a file follow from the constant's. */
public enum Setting {
    PORT(Tier.ESSENTIAL, "N", "8080", "Where it listens; 0 for any port that is free."),
    HOST(
            Tier.ESSENTIAL,
            "NAME",
            "localhost",
            "The address it listens on; without --auth this machine's own alone, with it also 0.0.0.0 for all."),
    STORE(
            Tier.ESSENTIAL,
            "URL",
            "rocksdb:./data",
            "Where everything is kept: rocksdb:FOLDER, " + PostgresUrl.FORM
                    + ", or memory: for what may be forgotten."),
    AUTH(
            Tier.ESSENTIAL,
            "SOURCE",
            null,
            "What tokens are checked with: " + AuthSource.FORMS
                    + ". Without it the server is in dev mode, and gives everybody on this machine any token."),

    AUTH_AUDIENCE(Tier.FREQUENT, "TEXT", null, "For whom tokens have to be (aud); for anybody unless given."),
    AUTH_ISSUER(Tier.FREQUENT, "TEXT", null, "Who has to have made tokens (iss); anybody unless given."),
    TLS_CERT(
            Tier.FREQUENT,
            "FILE",
            null,
            "The server's certificate, and those that vouch for it, as PEM; with --tls-key it speaks TLS, else plain HTTP. New files are noticed."),
    TLS_KEY(Tier.FREQUENT, "FILE", null, "The certificate's private key, as PEM (PKCS #8, without a password)."),
    RETENTION(Tier.FREQUENT, "TIME", "24h", "How long an answer is kept for retries."),
    FAILED_RETENTION(Tier.FREQUENT, "TIME", "7d", "How long it is remembered that a request failed."),
    TOMBSTONES(
            Tier.FREQUENT,
            "TIME",
            "30d",
            "How long it is remembered after that that there was a key, and how it ended; none for not at all."),
    EXPIRED_KEYS(
            Tier.FREQUENT,
            "POLICY",
            "new",
            "What a key is that is used again after its time, while it is remembered: new, or refuse for 410 key_expired."),
    SWEEP_EVERY(Tier.FREQUENT, "TIME", "6h", "How often what is past its time is let go of."),
    FEED_RETENTION(
            Tier.FREQUENT,
            "TIME",
            null,
            "How long posts of the feed are kept, with their likes and comments; for ever unless given."),
    QUOTA(Tier.FREQUENT, "N", "1000", "How many new keys a user may begin in an hour; 0 for as many as they like."),
    LOG_LEVEL(Tier.FREQUENT, "LEVEL", "info", "What is logged: error, warn, info, debug or trace."),

    LEASE(
            Tier.RARE,
            "TIME",
            "30s",
            "How long the owner of a request whose effect is elsewhere may be silent before it counts as abandoned."),
    LONGEST_RUN(Tier.RARE, "TIME", "1h", "After how long a request that has not come to an end is given up."),
    RETRY_HINT(Tier.RARE, "TIME", "1s", "When those who are told that their request is under way should ask again."),
    RESPONSE_LIMIT(Tier.RARE, "SIZE", "1MiB", "The largest answer that is kept for retries."),
    STORE_MEMORY(
            Tier.RARE, "SIZE", "256MiB", "How much memory the store may take, beside Java's unless it is memory:."),
    STORE_CONNECTIONS(Tier.RARE, "N", "10", "How many connections to PostgreSQL it keeps."),
    STORE_MIGRATE(
            Tier.RARE,
            "BOOLEAN",
            "true",
            "Whether the tables in PostgreSQL are made and brought up to date at the start; false if somebody else does that."),
    CONNECTIONS(Tier.RARE, "N", "20000", "How many connections there may be; more have to wait."),
    REQUEST_TIMEOUT(
            Tier.RARE,
            "TIME",
            "20s",
            "How long a client may take to send the head of a request, or to take its answer."),
    MESSAGE_RATE(
            Tier.RARE,
            "N",
            "100",
            "How many messages a second a WebSocket may send, and twice as many at once; 0 for as many as it likes."),
    SHORT_ID_LETTERS(
            Tier.RARE,
            "N",
            "3",
            "How many letters the ids of submitted texts may have, 3 to 6; ten ids of each length from two on are tried."),
    STOP_TIMEOUT(Tier.RARE, "TIME", "20s", "How long requests that are under way may take to end when it is stopped.");

    /** How many people need it. */
    public enum Tier {
        ESSENTIAL("Essential", "what nearly everybody says"),
        FREQUENT("Frequent", "what many will want to change"),
        RARE("Rare", "what is right for nearly everybody as it is");

        private final String title;
        private final String summary;

        Tier(String title, String summary) {
            this.title = title;
            this.summary = summary;
        }

        /** With what it is about. */
        public String heading() {
            return title + ": " + summary;
        }

        String title() {
            return title;
        }

        String summary() {
            return summary;
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

    /** What its value is called. */
    public String label() {
        return label;
    }

    /** What it is unless given; null if it is not set then. */
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
