package dev.semel.server.settings;

import dev.semel.kv.KvTiming;
import dev.semel.once.OnceSettings;
import dev.semel.once.OnceSettings.IfExpired;
import dev.semel.postgres.PostgresSettings;
import dev.semel.server.auth.AuthSource;
import dev.semel.server.auth.Tokens;
import dev.semel.server.settings.RawSettings.Value;
import dev.semel.server.web.Cors;
import dev.semel.server.web.Sockets;
import dev.semel.store.Quota;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * The validated settings of a server.
 *
 * @param host address to listen on
 * @param port port to listen on; 0 for a free port
 * @param store settings of the store
 * @param tokens verifies tokens; null in dev mode, in which the host is a loopback address
 * @param once settings of idempotency keys
 * @param sweepPeriod interval between cleanup sweeps
 * @param apps settings of the systems
 * @param stopTimeout how long requests in progress may take to complete when the server stops
 * @param connections settings of client connections
 * @param sockets limits of WebSockets
 * @param corsOrigins origins whose pages may call the API, as browsers send them
 * @param logLevel lowest level that is logged
 */
public record ServerSettings(
        String host,
        int port,
        StoreSettings store,
        @Nullable Tokens tokens,
        OnceSettings once,
        Duration sweepPeriod,
        AppSettings apps,
        Duration stopTimeout,
        ConnectionSettings connections,
        Sockets.Limits sockets,
        Set<String> corsOrigins,
        Level logLevel) {

    private static final Pattern AMOUNT = Pattern.compile("([0-9]{1,12})([a-zA-Z]*)");
    private static final Pattern ZERO = Pattern.compile("0{1,12}(ms|s|m|h|d)");
    private static final List<Setting> KEY_VALUE_SETTINGS =
            List.of(Setting.KV_SETTLE, Setting.KV_GAP, Setting.KV_STALENESS, Setting.KV_ACCEPT_OVERWRITES);
    private static final Map<String, Duration> TIMES = Map.of(
            "ms", Duration.ofMillis(1),
            "s", Duration.ofSeconds(1),
            "m", Duration.ofMinutes(1),
            "h", Duration.ofHours(1),
            "d", Duration.ofDays(1));
    private static final Map<String, Long> SIZES = Map.of("", 1L, "kib", 1L << 10, "mib", 1L << 20, "gib", 1L << 30);

    /**
     * Validates raw settings.
     *
     * @throws SettingException for the first invalid setting
     */
    public static ServerSettings of(RawSettings raw, Map<String, String> environment, InstantSource clock) {
        return new ServerSettings(
                host(raw),
                number(raw.of(Setting.PORT), 0, 65_535),
                store(raw),
                tokens(raw, environment, clock),
                once(raw),
                time(raw.of(Setting.SWEEP_EVERY)),
                apps(raw),
                time(raw.of(Setting.STOP_TIMEOUT)),
                connections(raw),
                sockets(raw),
                origins(raw.of(Setting.CORS_ORIGINS)),
                level(raw.of(Setting.LOG_LEVEL)));
    }

    /** Returns the settings of a server that is started without options. */
    public static ServerSettings defaults() {
        return of(new RawSettings(Map.of(), null, Map.of()), Map.of(), InstantSource.system());
    }

    /** Returns these settings with another port. */
    public ServerSettings withPort(int port) {
        return new ServerSettings(
                host,
                port,
                store,
                tokens,
                once,
                sweepPeriod,
                apps,
                stopTimeout,
                connections,
                sockets,
                corsOrigins,
                logLevel);
    }

    /** Returns these settings with another verifier of tokens. */
    public ServerSettings withTokens(@Nullable Tokens tokens) {
        return new ServerSettings(
                host,
                port,
                store,
                tokens,
                once,
                sweepPeriod,
                apps,
                stopTimeout,
                connections,
                sockets,
                corsOrigins,
                logLevel);
    }

    /** Returns these settings with other settings of connections. */
    public ServerSettings withConnections(ConnectionSettings connections) {
        return new ServerSettings(
                host,
                port,
                store,
                tokens,
                once,
                sweepPeriod,
                apps,
                stopTimeout,
                connections,
                sockets,
                corsOrigins,
                logLevel);
    }

    /** Returns these settings with other limits of WebSockets. */
    public ServerSettings withSockets(Sockets.Limits sockets) {
        return new ServerSettings(
                host,
                port,
                store,
                tokens,
                once,
                sweepPeriod,
                apps,
                stopTimeout,
                connections,
                sockets,
                corsOrigins,
                logLevel);
    }

    /** Returns these settings with other origins whose pages may call the API. */
    public ServerSettings withCorsOrigins(Set<String> corsOrigins) {
        return new ServerSettings(
                host,
                port,
                store,
                tokens,
                once,
                sweepPeriod,
                apps,
                stopTimeout,
                connections,
                sockets,
                corsOrigins,
                logLevel);
    }

    /** Returns these settings with other settings of the systems. */
    public ServerSettings withApps(AppSettings apps) {
        return new ServerSettings(
                host,
                port,
                store,
                tokens,
                once,
                sweepPeriod,
                apps,
                stopTimeout,
                connections,
                sockets,
                corsOrigins,
                logLevel);
    }

    /** Returns these settings with changed settings of idempotency keys. */
    public ServerSettings withOnce(UnaryOperator<OnceSettings> change) {
        return new ServerSettings(
                host,
                port,
                store,
                tokens,
                change.apply(once),
                sweepPeriod,
                apps,
                stopTimeout,
                connections,
                sockets,
                corsOrigins,
                logLevel);
    }

    private static String host(RawSettings raw) {
        Value host = raw.of(Setting.HOST);
        InetAddress address;
        try {
            address = InetAddress.getByName(text(host));
        } catch (UnknownHostException e) {
            throw host.wrong("a name or an address of this machine");
        }
        if (raw.of(Setting.AUTH).text() == null && !address.isLoopbackAddress()) {
            throw host.wrong("a loopback address such as localhost unless --auth is set");
        }
        return text(host);
    }

    /**
     * Validates the settings of the store.
     *
     * @throws SettingException for the first invalid setting
     */
    public static StoreSettings store(RawSettings raw) {
        return store(raw, url(raw.of(Setting.STORE), StoreUrl.FORMS));
    }

    /**
     * Validates the settings of a store that outlasts the process. It has no default.
     *
     * @throws SettingException for the first invalid setting, and if no store is set
     */
    public static StoreSettings durableStore(RawSettings raw) {
        Value value = raw.of(Setting.STORE);
        if (!raw.isSet(Setting.STORE)) {
            throw new SettingException(Setting.STORE.flag() + " is missing: " + StoreUrl.DURABLE_FORMS);
        }
        StoreUrl url = url(value, StoreUrl.DURABLE_FORMS);
        if (url instanceof StoreUrl.Memory) {
            throw value.fault(
                    "must be " + StoreUrl.DURABLE_FORMS + ", not memory:, which is lost when the command ends");
        }
        return store(raw, url);
    }

    private static StoreSettings store(RawSettings raw, StoreUrl url) {
        return new StoreSettings(
                url,
                bytes(raw.of(Setting.STORE_MEMORY), 16L << 20, 1L << 50),
                number(raw.of(Setting.STORE_CONNECTIONS), 1, 1000),
                schema(raw.of(Setting.STORE_SCHEMA)),
                flag(raw.of(Setting.STORE_MIGRATE)));
    }

    private static String schema(Value value) {
        try {
            return PostgresSettings.DEFAULTS.withSchema(text(value)).schema();
        } catch (IllegalArgumentException e) {
            throw value.wrong(
                    "a name of 1 to 63 lower-case letters, digits and underscores that does not begin with a digit or pg_");
        }
    }

    /** A malformed URL may contain a password, so only its scheme is shown. */
    private static StoreUrl url(Value value, String forms) {
        String text = text(value);
        int login = text.indexOf("//");
        try {
            StoreUrl url = StoreUrl.parse(text);
            if (url == null) {
                Value shown = login < 0 ? value : new Value(text.substring(0, login) + "//…", value.where());
                throw shown.wrong(forms);
            }
            return url;
        } catch (StoreUrl.MalformedUrlException e) {
            throw value.fault(String.valueOf(e.getMessage()));
        }
    }

    private static AppSettings apps(RawSettings raw) {
        return new AppSettings(
                optionalTime(raw.of(Setting.FEED_RETENTION)),
                shortIds(raw),
                readsLegacyKeys(raw.of(Setting.LEGACY_KEYS)));
    }

    private static ShortIdSettings shortIds(RawSettings raw) {
        int letters = number(raw.of(Setting.SHORT_ID_LETTERS), 3, 6);
        Value mode = raw.of(Setting.SHORT_IDS);
        return switch (text(mode)) {
            case "atomic" -> {
                for (Setting setting : KEY_VALUE_SETTINGS) {
                    if (raw.isSet(setting)) {
                        throw raw.of(setting).fault("requires " + Setting.SHORT_IDS.flag() + " kv");
                    }
                }
                yield ShortIdSettings.atomic(letters);
            }
            case "kv" -> new ShortIdSettings(letters, keyValues(raw), flag(raw.of(Setting.KV_ACCEPT_OVERWRITES)));
            default -> throw mode.wrong("atomic or kv");
        };
    }

    private static KvTiming keyValues(RawSettings raw) {
        KvTiming timing = new KvTiming(
                keyValueTime(raw.of(Setting.KV_SETTLE)),
                keyValueTime(raw.of(Setting.KV_GAP)),
                keyValueTime(raw.of(Setting.KV_STALENESS)));
        boolean accepted = flag(raw.of(Setting.KV_ACCEPT_OVERWRITES));
        timing.violation().filter(violation -> !accepted).ifPresent(violation -> {
            throw raw.of(Setting.SHORT_IDS)
                    .fault("kv would not exclude that posts are overwritten: " + violation
                            + ". Change the times, or set " + Setting.KV_ACCEPT_OVERWRITES.flag());
        });
        return timing;
    }

    private static Duration keyValueTime(Value value) {
        Duration time = ZERO.matcher(text(value)).matches() ? Duration.ZERO : time(value);
        if (time.compareTo(KvTiming.LONGEST) > 0) {
            throw value.wrong("from 0 to " + KvTiming.LONGEST.toDays() + " days");
        }
        return time;
    }

    private static boolean readsLegacyKeys(Value value) {
        return switch (text(value)) {
            case "read" -> true;
            case "refuse" -> false;
            default -> throw value.wrong("read or refuse");
        };
    }

    private static ConnectionSettings connections(RawSettings raw) {
        return new ConnectionSettings(
                number(raw.of(Setting.CONNECTIONS), 1, 1_000_000),
                time(raw.of(Setting.REQUEST_TIMEOUT)),
                tls(raw.of(Setting.TLS_CERT), raw.of(Setting.TLS_KEY)));
    }

    private static @Nullable PemFiles tls(Value certificate, Value key) {
        if (certificate.text() == null && key.text() == null) {
            return null;
        }
        if (certificate.text() == null || key.text() == null) {
            throw (key.text() == null ? certificate : key)
                    .fault("requires " + (key.text() == null ? Setting.TLS_KEY : Setting.TLS_CERT).flag());
        }
        try {
            PemFiles files = new PemFiles(Path.of(certificate.text()), Path.of(key.text()));
            files.read();
            return files;
        } catch (PemFiles.UnusableException e) {
            Value unusable = e.isKey() ? key : certificate;
            throw unusable.fault(Suggestions.quote(text(unusable)) + " cannot be used: " + e.getMessage());
        } catch (InvalidPathException e) {
            throw certificate.fault("and " + Setting.TLS_KEY.flag() + " must name files");
        }
    }

    private static boolean flag(Value value) {
        return switch (text(value)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw value.wrong("true or false");
        };
    }

    private static @Nullable Tokens tokens(RawSettings raw, Map<String, String> environment, InstantSource clock) {
        Value auth = raw.of(Setting.AUTH);
        Value audience = raw.of(Setting.AUTH_AUDIENCE);
        Value issuer = raw.of(Setting.AUTH_ISSUER);
        if (auth.text() == null) {
            for (Value companion : Arrays.asList(audience, issuer)) {
                if (companion.text() != null) {
                    throw companion.fault("requires " + Setting.AUTH.flag());
                }
            }
            return null;
        }
        try {
            return AuthSource.open(
                    auth.text(), new Tokens.ExpectedClaims(audience.text(), issuer.text()), environment, clock);
        } catch (IllegalArgumentException e) {
            throw auth.fault(String.valueOf(e.getMessage()));
        }
    }

    private static OnceSettings once(RawSettings raw) {
        int limit = number(raw.of(Setting.QUOTA), 0, Integer.MAX_VALUE);
        return new OnceSettings(
                time(raw.of(Setting.RETENTION)),
                time(raw.of(Setting.FAILED_RETENTION)),
                timeOrNone(raw.of(Setting.TOMBSTONES)),
                ifExpired(raw.of(Setting.EXPIRED_KEYS)),
                time(raw.of(Setting.LEASE)),
                time(raw.of(Setting.LONGEST_RUN)),
                time(raw.of(Setting.RETRY_HINT)),
                (int) bytes(raw.of(Setting.RESPONSE_LIMIT), 0, Integer.MAX_VALUE),
                limit == 0 ? Quota.NONE : new Quota(limit, Duration.ofHours(1)));
    }

    private static @Nullable Duration optionalTime(Value value) {
        return value.text() == null ? null : time(value);
    }

    private static Duration timeOrNone(Value value) {
        return text(value).equals("none") ? Duration.ZERO : time(value, "none or ");
    }

    private static IfExpired ifExpired(Value value) {
        return switch (text(value)) {
            case "new" -> IfExpired.RUN_AGAIN;
            case "reject" -> IfExpired.REJECT;
            default -> throw value.wrong("new or reject");
        };
    }

    private static Sockets.Limits sockets(RawSettings raw) {
        Sockets.Limits defaults = Sockets.Limits.DEFAULTS;
        int rate = number(raw.of(Setting.MESSAGE_RATE), 0, 1_000_000);
        return new Sockets.Limits(defaults.sockets(), defaults.socketsOfUser(), rate);
    }

    /** Origins are compared with what browsers send, so only that form is accepted. */
    private static Set<String> origins(Value value) {
        if (value.text() == null) {
            return Set.of();
        }
        Set<String> origins = new LinkedHashSet<>();
        for (String each : value.text().split(",", -1)) {
            String origin = each.strip();
            if (!Cors.isOrigin(origin)) {
                throw value.wrong(
                        "origins such as https://app.example.com, separated by commas: a scheme, a host in lower case, and a port"
                                + " unless it is the default one; no path");
            }
            origins.add(origin);
        }
        return Set.copyOf(origins);
    }

    private static Level level(Value value) {
        for (Level level : Level.values()) {
            if (level.name().toLowerCase(Locale.ROOT).equals(text(value))) {
                return level;
            }
        }
        throw value.wrong("one of error, warn, info, debug or trace");
    }

    private static String text(Value value) {
        return Objects.requireNonNull(value.text());
    }

    private static int number(Value value, int least, int most) {
        Matcher amount = AMOUNT.matcher(text(value));
        long number = amount.matches() && amount.group(2).isEmpty() ? Long.parseLong(amount.group(1)) : -1;
        if (number < least || number > most) {
            throw value.wrong("a whole number from " + least + " to " + most);
        }
        return (int) number;
    }

    private static Duration time(Value value) {
        return time(value, "");
    }

    /**
     * Parses a time such as {@code 24h}.
     *
     * @param where the name of the option, for errors
     * @throws SettingException if it is malformed
     */
    public static Duration time(String where, String text) {
        return time(new Value(text, where));
    }

    /**
     * Parses a time of {@link KvTiming}, such as {@code 2s} or {@code 0s}.
     *
     * @param where the name of the option, for errors
     * @throws SettingException if it is malformed or too long
     */
    public static Duration keyValueTime(String where, String text) {
        return keyValueTime(new Value(text, where));
    }

    private static Duration time(Value value, String alternative) {
        Matcher amount = AMOUNT.matcher(text(value));
        Duration unit = amount.matches() ? TIMES.get(amount.group(2)) : null;
        long count = unit == null ? 0 : Long.parseLong(amount.group(1));
        Duration longest = Duration.ofDays(36_525);
        if (unit == null || count == 0 || count > longest.dividedBy(unit)) {
            throw value.wrong(
                    alternative + "a time such as 24h (a whole number with ms, s, m, h or d, at most 100 years)");
        }
        return unit.multipliedBy(count);
    }

    private static long bytes(Value value, long least, long most) {
        Matcher amount = AMOUNT.matcher(text(value));
        Long unit = amount.matches() ? SIZES.get(amount.group(2).toLowerCase(Locale.ROOT)) : null;
        long count = unit == null ? -1 : Long.parseLong(amount.group(1));
        if (unit == null || count > most / unit || count * unit < least) {
            throw value.wrong("a size such as 256MiB (a whole number with or without KiB, MiB or GiB, at least " + least
                    + " bytes)");
        }
        return count * unit;
    }
}
