package dev.semel.server.settings;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.id.MalformedException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A PostgreSQL database, as {@code postgres://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETERS} or as a JDBC driver spells it. What has a
 * meaning of its own in a URL is written with percent signs. There may be several hosts, separated by commas: the first that
 * answers is taken. Parameters are those of the JDBC driver.
 */
public final class PostgresUrl implements StoreUrl {

    static final String FORM = "postgres://USER:PASSWORD@HOST:PORT/DATABASE";

    private static final List<String> SCHEMES = List.of("postgres:", "postgresql:", "jdbc:postgresql:");
    private static final Pattern URL =
            Pattern.compile("//(?:(?<login>[^/?]*)@)?(?<hosts>[^@/?]*)(?:/(?<database>[^?@]*))?(?:\\?(?<query>.*))?");
    private static final Pattern HOST = Pattern.compile("(\\[[0-9a-fA-F:.]+]|[^:\\[\\]]*)(?::([0-9]*))?");
    private static final int DEFAULT_PORT = 5432;

    /** What other clients call these parameters. */
    private static final Map<String, String> ALIASES =
            Map.of("application_name", "ApplicationName", "connect_timeout", "connectTimeout");

    private final List<String> hosts = new ArrayList<>();
    private final List<Integer> ports = new ArrayList<>();
    private final Map<String, String> parameters = new LinkedHashMap<>();
    private final String database;

    private PostgresUrl(Matcher url, boolean jdbc) {
        for (String host : url.group("hosts").split(",", -1)) {
            addHost(host);
        }
        addParameters(url.group("query"), jdbc);
        addLogin(url.group("login"));
        this.database = decode(url.group("database"), "its database");
        if (database.isEmpty()) {
            throw new MalformedUrlException("names no database; expected " + FORM);
        }
    }

    /** Whether somebody wanted to name a database, right or wrong. */
    static boolean hasScheme(String text) {
        return SCHEMES.stream().anyMatch(text::startsWith);
    }

    static PostgresUrl parse(String text) {
        boolean jdbc = text.startsWith("jdbc:");
        String rest = text.substring(text.indexOf(':', jdbc ? "jdbc:".length() : 0) + 1);
        Matcher url = URL.matcher(rest);
        if (!url.matches()) {
            throw new MalformedUrlException("is not a database URL; expected " + FORM
                    + ", with %2F for a /, %3F for a ? and %40 for an @ within a part");
        }
        PostgresUrl parsed = new PostgresUrl(url, jdbc);
        parsed.dataSource(); // the driver knows which parameters there are
        return parsed;
    }

    private void addHost(String text) {
        Matcher host = HOST.matcher(text);
        if (!host.matches()) {
            throw new MalformedUrlException(
                    "has an invalid host or port; expected " + FORM + ", with brackets around an IPv6 address");
        }
        String port = host.group(2);
        if (port != null && (port.length() > 5 || port.isEmpty() || Integer.parseInt(port) > 65_535)) {
            throw new MalformedUrlException("has an invalid port; expected a whole number from 1 to 65535");
        }
        hosts.add(host.group(1).isEmpty() ? "localhost" : decode(host.group(1), "a host"));
        ports.add(port == null ? DEFAULT_PORT : Integer.parseInt(port));
    }

    private void addLogin(@Nullable String login) {
        if (login == null) {
            return;
        }
        int colon = login.indexOf(':');
        parameters.put("user", decode(colon < 0 ? login : login.substring(0, colon), "its user"));
        if (colon >= 0) {
            parameters.put("password", decode(login.substring(colon + 1), "its password"));
        }
    }

    private void addParameters(@Nullable String query, boolean jdbc) {
        if (query == null || query.isEmpty()) {
            return;
        }
        for (String parameter : query.split("&", -1)) {
            int equals = parameter.indexOf('=');
            if (equals <= 0) {
                throw new MalformedUrlException("has a parameter that is not NAME=VALUE");
            }
            String name = decode(parameter.substring(0, equals), "the name of a parameter");
            String value = parameter.substring(equals + 1);
            parameters.put(
                    ALIASES.getOrDefault(name, name),
                    decode(jdbc ? value.replace('+', ' ') : value, "its parameter " + MalformedException.quote(name)));
        }
    }

    private static String decode(@Nullable String text, String what) {
        if (text == null || text.indexOf('%') < 0) {
            return text == null ? "" : text;
        }
        ByteBuffer bytes = ByteBuffer.allocate(text.length() * 3);
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) != '%') {
                int end = text.offsetByCodePoints(i, 1);
                bytes.put(text.substring(i, end).getBytes(UTF_8));
                i = end - 1;
            } else {
                bytes.put((byte) hex(text, i + 1, what));
                i += 2;
            }
        }
        try {
            return UTF_8.newDecoder().decode(bytes.flip()).toString();
        } catch (CharacterCodingException e) {
            throw percentSign(what);
        }
    }

    private static int hex(String text, int at, String what) {
        int high = at + 1 < text.length() ? Character.digit(text.charAt(at), 16) : -1;
        int low = at + 1 < text.length() ? Character.digit(text.charAt(at + 1), 16) : -1;
        if (high < 0 || low < 0) {
            throw percentSign(what);
        }
        return high * 16 + low;
    }

    private static MalformedUrlException percentSign(String what) {
        return new MalformedUrlException(
                "has a percent sign in " + what + " that is followed by no encoded character; it has to be %25");
    }

    /** Connections to it, a new one each time. */
    public PGSimpleDataSource dataSource() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(hosts.toArray(String[]::new));
        source.setPortNumbers(ports.stream().mapToInt(Integer::intValue).toArray());
        source.setDatabaseName(database);
        parameters.forEach((name, value) -> set(source, name, value));
        return source;
    }

    private static void set(PGSimpleDataSource source, String name, String value) {
        try {
            source.setProperty(name, value);
        } catch (SQLException | IllegalArgumentException e) {
            throw new MalformedUrlException("has a parameter " + MalformedException.quote(name)
                    + " that PostgreSQL's JDBC driver does not know, or not with that value");
        }
    }

    /** Whether it says how something is done that has a default otherwise. */
    public boolean hasParameter(String parameter) {
        return parameters.containsKey(parameter);
    }

    /** Whether it holds what nobody else should see. */
    public boolean hasPassword() {
        return parameters.containsKey("password");
    }

    /** Where it is, for people: without who logs in, and how. */
    public String location() {
        List<String> servers = new ArrayList<>();
        for (int i = 0; i < hosts.size(); i++) {
            servers.add(hosts.get(i) + ":" + ports.get(i));
        }
        return "postgres://" + String.join(",", servers) + "/" + database;
    }

    @Override
    public String toString() {
        return location();
    }
}
