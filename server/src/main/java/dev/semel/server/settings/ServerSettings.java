package dev.semel.server.settings;

import dev.semel.once.IfExpired;
import dev.semel.once.OnceSettings;
import dev.semel.server.auth.AuthSource;
import dev.semel.server.auth.Tokens;
import dev.semel.server.settings.Given.Value;
import dev.semel.server.web.Sockets;
import dev.semel.store.Quota;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * How a server is run, checked.
 *
 * @param tokens who is let in; null in dev mode, in which the host is this machine's own
 * @param sweepPeriod how often what is past its time is let go
 * @param apps what the systems behind the port are told
 * @param stopTimeout how long requests under way may take to end when it is stopped
 * @param connections how clients connect
 * @param sockets how many WebSockets there may be, and messages on them
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
        Level logLevel) {

    private static final Pattern AMOUNT = Pattern.compile("([0-9]{1,12})([a-zA-Z]*)");
    private static final Map<String, Duration> TIMES = Map.of(
            "ms", Duration.ofMillis(1),
            "s", Duration.ofSeconds(1),
            "m", Duration.ofMinutes(1),
            "h", Duration.ofHours(1),
            "d", Duration.ofDays(1));
    private static final Map<String, Long> SIZES = Map.of("", 1L, "kib", 1L << 10, "mib", 1L << 20, "gib", 1L << 30);

    /**
     * Reads what was given.
     *
     * @throws SettingException naming the first that is wrong
     */
    public static ServerSettings of(Given given, Map<String, String> environment, InstantSource clock) {
        return new ServerSettings(
                host(given),
                number(given.of(Setting.PORT), 0, 65_535),
                store(given),
                tokens(given, environment, clock),
                once(given),
                time(given.of(Setting.SWEEP_EVERY)),
                apps(given),
                time(given.of(Setting.STOP_TIMEOUT)),
                connections(given),
                sockets(given),
                level(given.of(Setting.LOG_LEVEL)));
    }

    /** As nothing else is given. */
    public static ServerSettings defaults() {
        return of(new Given(Map.of(), null, Map.of()), Map.of(), InstantSource.system());
    }

    /** The same on another port. */
    public ServerSettings withPort(int port) {
        return new ServerSettings(
                host, port, store, tokens, once, sweepPeriod, apps, stopTimeout, connections, sockets, logLevel);
    }

    /** The same with other people let in. */
    public ServerSettings withTokens(@Nullable Tokens tokens) {
        return new ServerSettings(
                host, port, store, tokens, once, sweepPeriod, apps, stopTimeout, connections, sockets, logLevel);
    }

    /** The same with other connections. */
    public ServerSettings withConnections(ConnectionSettings connections) {
        return new ServerSettings(
                host, port, store, tokens, once, sweepPeriod, apps, stopTimeout, connections, sockets, logLevel);
    }

    /** The same with other limits on WebSockets. */
    public ServerSettings withSockets(Sockets.Limits sockets) {
        return new ServerSettings(
                host, port, store, tokens, once, sweepPeriod, apps, stopTimeout, connections, sockets, logLevel);
    }

    /** The same with other systems behind the port. */
    public ServerSettings withApps(AppSettings apps) {
        return new ServerSettings(
                host, port, store, tokens, once, sweepPeriod, apps, stopTimeout, connections, sockets, logLevel);
    }

    /** The same with other rules about keys. */
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
                logLevel);
    }

    private static String host(Given given) {
        Value host = given.of(Setting.HOST);
        InetAddress address;
        try {
            address = InetAddress.getByName(text(host));
        } catch (UnknownHostException e) {
            throw host.wrong("a name or an address of this machine");
        }
        if (given.of(Setting.AUTH).text() == null && !address.isLoopbackAddress()) {
            throw host.wrong("localhost unless --auth says who is let in: without it, everybody is");
        }
        return text(host);
    }

    private static StoreSettings store(Given given) {
        return new StoreSettings(
                url(given.of(Setting.STORE)),
                bytes(given.of(Setting.STORE_MEMORY), 16L << 20, 1L << 50),
                number(given.of(Setting.STORE_CONNECTIONS), 1, 1000),
                flag(given.of(Setting.STORE_MIGRATE)));
    }

    /** What is wrong may hold a password, so only its beginning is shown. */
    private static StoreUrl url(Value value) {
        String text = text(value);
        int login = text.indexOf("//");
        try {
            StoreUrl url = StoreUrl.parse(text);
            if (url == null) {
                Value shown = login < 0 ? value : new Value(text.substring(0, login) + "//...", value.where());
                throw shown.wrong(StoreUrl.FORMS);
            }
            return url;
        } catch (StoreUrl.MalformedUrlException e) {
            throw value.fault(String.valueOf(e.getMessage()));
        }
    }

    private static AppSettings apps(Given given) {
        return new AppSettings(
                optionalTime(given.of(Setting.FEED_RETENTION)), number(given.of(Setting.SHORT_ID_LETTERS), 3, 6));
    }

    private static ConnectionSettings connections(Given given) {
        return new ConnectionSettings(
                number(given.of(Setting.CONNECTIONS), 1, 1_000_000),
                time(given.of(Setting.REQUEST_TIMEOUT)),
                tls(given.of(Setting.TLS_CERT), given.of(Setting.TLS_KEY)));
    }

    private static @Nullable PemFiles tls(Value certificate, Value key) {
        if (certificate.text() == null && key.text() == null) {
            return null;
        }
        if (certificate.text() == null || key.text() == null) {
            throw (key.text() == null ? certificate : key)
                    .fault("needs " + (key.text() == null ? Setting.TLS_KEY : Setting.TLS_CERT).flag() + " beside it");
        }
        try {
            PemFiles files = new PemFiles(Path.of(certificate.text()), Path.of(key.text()));
            files.read();
            return files;
        } catch (PemFiles.UnusableException e) {
            throw (e.isKey() ? key : certificate).fault(String.valueOf(e.getMessage()));
        } catch (InvalidPathException e) {
            throw certificate.fault("and " + Setting.TLS_KEY.flag() + " have to be files");
        }
    }

    private static boolean flag(Value value) {
        return switch (text(value)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw value.wrong("true or false");
        };
    }

    private static @Nullable Tokens tokens(Given given, Map<String, String> environment, InstantSource clock) {
        Value auth = given.of(Setting.AUTH);
        Value audience = given.of(Setting.AUTH_AUDIENCE);
        Value issuer = given.of(Setting.AUTH_ISSUER);
        if (auth.text() == null) {
            for (Value companion : Arrays.asList(audience, issuer)) {
                if (companion.text() != null) {
                    throw companion.fault("is of use only with " + Setting.AUTH.flag());
                }
            }
            return null;
        }
        try {
            return AuthSource.open(
                    auth.text(), new Tokens.Expected(audience.text(), issuer.text()), environment, clock);
        } catch (IllegalArgumentException e) {
            throw auth.fault(String.valueOf(e.getMessage()));
        }
    }

    private static OnceSettings once(Given given) {
        int limit = number(given.of(Setting.QUOTA), 0, Integer.MAX_VALUE);
        return new OnceSettings(
                time(given.of(Setting.RETENTION)),
                time(given.of(Setting.FAILED_RETENTION)),
                timeOrNone(given.of(Setting.TOMBSTONES)),
                ifExpired(given.of(Setting.EXPIRED_KEYS)),
                time(given.of(Setting.LEASE)),
                time(given.of(Setting.LONGEST_RUN)),
                time(given.of(Setting.RETRY_HINT)),
                (int) bytes(given.of(Setting.RESPONSE_LIMIT), 0, Integer.MAX_VALUE),
                limit == 0 ? Quota.NONE : new Quota(limit, Duration.ofHours(1)));
    }

    private static @Nullable Duration optionalTime(Value value) {
        return value.text() == null ? null : time(value);
    }

    private static Duration timeOrNone(Value value) {
        return text(value).equals("none") ? Duration.ZERO : time(value, "none, or ");
    }

    private static IfExpired ifExpired(Value value) {
        return switch (text(value)) {
            case "new" -> IfExpired.RUN_AGAIN;
            case "refuse" -> IfExpired.REFUSE;
            default -> throw value.wrong("new or refuse");
        };
    }

    private static Sockets.Limits sockets(Given given) {
        Sockets.Limits usual = Sockets.Limits.DEFAULTS;
        int rate = number(given.of(Setting.MESSAGE_RATE), 0, 1_000_000);
        return new Sockets.Limits(usual.sockets(), usual.socketsOfUser(), rate);
    }

    private static Level level(Value value) {
        for (Level level : Level.values()) {
            if (level.name().toLowerCase(Locale.ROOT).equals(text(value))) {
                return level;
            }
        }
        throw value.wrong("error, warn, info, debug or trace");
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

    private static Duration time(Value value, String instead) {
        Matcher amount = AMOUNT.matcher(text(value));
        Duration unit = amount.matches() ? TIMES.get(amount.group(2)) : null;
        long count = unit == null ? 0 : Long.parseLong(amount.group(1));
        Duration longest = Duration.ofDays(36_525);
        if (unit == null || count == 0 || count > longest.dividedBy(unit)) {
            throw value.wrong(instead
                    + "a time of up to a hundred years: a whole number with ms, s, m, h or d behind it, such as 24h");
        }
        return unit.multipliedBy(count);
    }

    private static long bytes(Value value, long least, long most) {
        Matcher amount = AMOUNT.matcher(text(value));
        Long unit = amount.matches() ? SIZES.get(amount.group(2).toLowerCase(Locale.ROOT)) : null;
        long count = unit == null ? -1 : Long.parseLong(amount.group(1));
        if (unit == null || count > most / unit || count * unit < least) {
            throw value.wrong(
                    "a size from " + least + " bytes on: a whole number, with KiB, MiB or GiB behind it or not");
        }
        return count * unit;
    }
}
