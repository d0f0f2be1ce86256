package dev.semel.server.settings;

import static java.nio.charset.StandardCharsets.UTF_8;

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
 * The URL of a PostgreSQL database: {@code postgres://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETERS}, or a JDBC URL. Reserved characters
 * are percent-encoded. Several hosts are separated by commas, and the first that responds is used. Parameters are those of the JDBC
 * driver.
 */
public final class PostgresUrl implements StoreUrl {

    static final String FORM = "postgres://USER:PASSWORD@HOST:PORT/DATABASE";

    private static final List<String> SCHEMES = List.of("postgres:", "postgresql:", "jdbc:postgresql:");
    private static final Pattern URL =
            Pattern.compile("//(?:(?<login>[^/?]*)@)?(?<hosts>[^@/?]*)(?:/(?<database>[^?@]*))?(?:\\?(?<query>.*))?");
    private static final Pattern HOST = Pattern.compile("(\\[[0-9a-fA-F:.]+]|[^:\\[\\]]*)(?::([0-9]*))?");
    private static final int DEFAULT_PORT = 5432;

    /** Names of parameters in libpq, and in the JDBC driver. */
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
            throw new MalformedUrlException("must name a database: " + FORM);
        }
    }

    /** Returns whether a text has the scheme of a database URL. The rest may be malformed. */
    static boolean hasScheme(String text) {
        return SCHEMES.stream().anyMatch(text::startsWith);
    }

    static PostgresUrl parse(String text) {
        boolean jdbc = text.startsWith("jdbc:");
        String rest = text.substring(text.indexOf(':', jdbc ? "jdbc:".length() : 0) + 1);
        Matcher url = URL.matcher(rest);
        if (!url.matches()) {
            throw new MalformedUrlException(
                    "must be a URL such as " + FORM + ". Within a part, write %2F for /, %3F for ? and %40 for @");
        }
        PostgresUrl parsed = new PostgresUrl(url, jdbc);
        parsed.dataSource(); // the driver knows which parameters there are
        return parsed;
    }

    private void addHost(String text) {
        Matcher host = HOST.matcher(text);
        if (!host.matches()) {
            throw new MalformedUrlException("has an invalid host or port. It must be a URL such as " + FORM
                    + ", with an IPv6 address in brackets");
        }
        String port = host.group(2);
        if (port != null && (port.length() > 5 || port.isEmpty() || Integer.parseInt(port) > 65_535)) {
            throw new MalformedUrlException("has an invalid port. It must be a whole number from 1 to 65535");
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
                throw new MalformedUrlException("has an invalid parameter. It must be NAME=VALUE");
            }
            String name = decode(parameter.substring(0, equals), "the name of a parameter");
            String value = parameter.substring(equals + 1);
            parameters.put(
                    ALIASES.getOrDefault(name, name),
                    decode(jdbc ? value.replace('+', ' ') : value, "its parameter " + Suggestions.quote(name)));
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
        return new MalformedUrlException("has an invalid percent sign in " + what + ". Write %25 for %");
    }

    /** Returns a data source without a pool. */
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
            throw new MalformedUrlException("has an invalid parameter " + Suggestions.quote(name)
                    + ". The PostgreSQL JDBC driver does not accept this name or its value");
        }
    }

    /** Returns whether the URL sets a parameter of the JDBC driver. */
    public boolean hasParameter(String parameter) {
        return parameters.containsKey(parameter);
    }

    /** Returns whether the URL contains a password. */
    public boolean hasPassword() {
        return parameters.containsKey("password");
    }

    /** Returns the URL without user, password and parameters. */
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
